// The publisher against a server that loses its store and answers late.
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openJournal } from '@tugdeck/journal/writer';
import { dataDirectory, makePrivate } from '@tugdeck/local/data-directory';
import { FakeMachine, quietLog } from '@tugdeck/testkit/fake-machine';
import { waitFor } from '@tugdeck/testkit/process-facts';
import { afterEach, expect, test } from 'vitest';
import { writeRandom } from '../../journal/test/journal-fixture.ts';
import { createCopyKey } from '../src/copy/copy-cipher.ts';
import { Publisher } from '../src/copy/publisher.ts';
import type { Engine, EngineReply } from '../src/engine.ts';
import { SUBJECTS } from '../src/subjects.ts';

const MEMBER = 'm1';
const root = mkdtempSync(join(tmpdir(), 'tugdeck-publisher-'));
afterEach(() => rmSync(root, { recursive: true, force: true }));

const reply = (status: number, text = '', headers: Record<string, string> = {}): EngineReply => ({
  ...{ data: Buffer.from(text), status },
  header: (name) => headers[name],
});

test('N30 N33 copies again at once when the server lost its store during a comparison of all sessions', async () => {
  const data = dataDirectory(root);
  makePrivate(root);
  const [quick, late] = [randomUUID(), randomUUID()] as [string, string];
  for (const session of [quick, late]) {
    const { writer } = openJournal(data.session(session), { now: () => 1 });
    writeRandom(writer, 1, 20);
    writer.close();
  }
  const stored = new Map<string, number>();
  let reconnected: (isConnected: boolean) => void = () => undefined;
  const engine = {
    isConnected: true,
    onChange(listener: typeof reconnected) {
      reconnected = listener;
      return () => undefined;
    },
    async request(subject: string): Promise<EngineReply> {
      if (subject.includes(late)) return new Promise(() => undefined);
      if (!subject.startsWith('$JS')) {
        const seq = (stored.get(subject) ?? 0) + 1;
        stored.set(subject, seq);
        return reply(0, JSON.stringify({ seq }));
      }
      return reply(404);
    },
  } as unknown as Engine;
  const publisher = new Publisher({
    ...{ engine, data, member: MEMBER, key: createCopyKey(), machine: new FakeMachine(), log: quietLog },
    purged: () => undefined,
  });
  const isCopied = () => stored.has(SUBJECTS.journal(MEMBER, quick));
  await waitFor(isCopied, { what: 'the first copy' });
  stored.clear();
  reconnected(true);
  await waitFor(isCopied, { what: 'the second copy', timeoutMs: 20_000 });
  expect(isCopied()).toBe(true);
  await publisher.close(0);
});
