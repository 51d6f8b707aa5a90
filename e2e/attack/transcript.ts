/** Attacks by a hostile session file in the agents’ own folders. */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { search } from '@tugdeck/protocol/areas/search';
import { waitFor } from '@tugdeck/testkit/process-facts';
import { headlessPage } from '../campaign/client.ts';
import { type Attack, alive, SECRET, unless } from './attack.ts';

export const TRANSCRIPT: readonly Attack[] = [
  {
    who: 'transcript',
    name: 'is in the agents’ folders with broken, huge and misleading lines',
    async run(world) {
      const folder = join(world.deck.sandbox.home, '.claude', 'projects', '-p');
      mkdirSync(folder, { recursive: true });
      const file = join(folder, '11111111-1111-4111-8111-111111111111.jsonl');
      const loop = [
        {
          type: 'user',
          uuid: 'a',
          parentUuid: 'b',
          cwd: world.deck.sandbox.project,
          message: { content: '<script>' },
        },
        { type: 'user', uuid: 'b', parentUuid: 'a', message: { content: { toString: null } } },
        { type: { toString: 1 }, uuid: [] },
      ];
      const deep = `${'['.repeat(100_000)}`;
      writeFileSync(
        file,
        [...loop.map((line) => JSON.stringify(line)), deep, 'x'.repeat(3_000_000), '\u0000'].join('\n'),
      );
      symlinkSync('/etc/passwd', join(folder, '22222222-2222-4222-8222-222222222222.jsonl'));
      // Sorted last, so that its row shows that the reader has finished.
      const read = '33333333-3333-4333-8333-333333333333';
      writeFileSync(
        join(folder, `${read}.jsonl`),
        `${JSON.stringify({ ...loop[0], uuid: 'c', parentUuid: null, sessionId: read, timestamp: '2026-01-01T00:00:00.000Z', message: { role: 'user', content: 'an honest word' } })}\n`,
      );
      const page = await headlessPage(world.deck);
      try {
        const rows = () => page.client.deck.get()?.sessions ?? [];
        await waitFor(() => rows().some(({ title }) => title === 'an honest word'), {
          what: 'the reader to have read them',
          timeoutMs: 60_000,
        });
        const problems = unless(!JSON.stringify(rows()).includes(SECRET), 'the list gives a secret');
        for (const { id, origin } of rows()) {
          if (origin !== 'foreign') continue;
          const channel = page.client.conversation(id);
          await waitFor(() => channel.view.get().phase !== 'loading', { what: `${id} to be read` });
          const shown = JSON.stringify(channel.view.get().conversation);
          problems.push(...unless(!shown.includes(SECRET), `${id} gives a secret`));
        }
        const area = page.client.openArea(search, {});
        await waitFor(async () => (await area.call('search', { query: 'honest' })).hits.length > 0, {
          what: 'the index to be read to its end',
        });
        const { hits } = await area.call('search', { query: 'root' });
        problems.push(...unless(hits.length === 0, 'the target of a link was indexed'));
        return [...problems, ...(await alive(world))];
      } finally {
        page.close();
      }
    },
  },
];
