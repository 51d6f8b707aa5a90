import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { dataDirectory } from '@tugdeck/local/data-directory';
import { openEntries } from '@tugdeck/protocol/conversation/state';
import { build } from 'rolldown';
import { expect, it } from 'vitest';
import { readPage, readTail } from '../src/reader.ts';
import { openJournal } from '../src/writer.ts';
import { now } from './journal-fixture.ts';

it('H5 a writer killed at any moment loses no completed write, and another continues', async () => {
  const root = mkdtempSync(join(tmpdir(), 'tugdeck-kill-'));
  try {
    const program = join(root, 'writer.mjs');
    const input = fileURLToPath(new URL('./writer-process.ts', import.meta.url));
    await build({ input, platform: 'node', logLevel: 'silent', output: { file: program, format: 'esm' } });
    const session = dataDirectory(root).session('s1');
    let before = 0;
    for (const lines of [1, 57, 160, 211]) {
      const child = spawn(process.execPath, [program, root], { stdio: ['ignore', 'pipe', 'inherit'] });
      const exited = once(child, 'exit');
      let said = 0;
      let seen = 0;
      for await (const line of createInterface({ input: child.stdout })) {
        said = Number(line);
        seen += 1;
        if (seen !== lines) continue;
        // Reads while the writer is alive and possibly in the middle of a line.
        const tail = readTail(session);
        expect(tail?.v).toBeGreaterThanOrEqual(said);
        expect(() => openJournal(session, { now })).toThrow(
          expect.objectContaining({ code: 'SESSION_LOCKED' }),
        );
        child.kill('SIGKILL');
      }
      await exited;
      expect(said).toBeGreaterThan(before);
      expect(existsSync(session.lock)).toBe(true);
      const { state, writer } = openJournal(session, { now });
      writer.close();
      expect(state.v).toBeGreaterThanOrEqual(said);
      const { entries } = readPage(session, state.nextSeq, 100_000);
      expect(entries.map(({ seq }) => seq)).toEqual([...entries.keys()]);
      expect(entries).toHaveLength(state.nextSeq);
      expect(openEntries(state).length).toBeLessThanOrEqual(4);
      before = state.v;
    }
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
});
