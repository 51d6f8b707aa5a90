import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openPlace, type Place, type Ran } from './command.ts';

let place: Place;
beforeEach(async () => {
  place = await openPlace();
});
afterEach(() => place?.close());

const json = ({ stdout }: Ran) => JSON.parse(stdout);

test('L10 T16 checkpoints lists and compares messages, restores the conversation to before one, and undoes it', async () => {
  const { session } = json(await place.run('send', '--new', '--wait', '--json', 'SCN:text'));
  await place.run('send', '--session', session, '--wait', 'SCN:text again');
  const hidden = async () => {
    const { messages } = json(await place.run('checkpoints', 'list', session, '--json'));
    return messages.map(({ aside }: { aside: boolean }) => aside);
  };
  expect(await hidden()).toEqual([false, false]);
  const shown = json(await place.run('checkpoints', 'show', session, '2', '--json'));
  expect(shown).toMatchObject({ files: [], memory: 'fork', plan: expect.any(String) });
  const preview = await place.run('checkpoints', 'restore', session, '2');
  expect(preview).toMatchObject({ code: 0, stderr: expect.stringContaining('Nothing was changed') });
  expect(await place.run('checkpoints', 'restore', session, '2', '--yes')).toMatchObject({ code: 0 });
  expect(await hidden()).toEqual([false, true]);
  expect(await place.run('checkpoints', 'undo', session)).toMatchObject({ code: 0 });
  expect(await hidden()).toEqual([false, false]);
  expect((await place.run('checkpoints', 'show', session, '9')).code).toBe(2);
  await writeFile(join(place.sandbox.project, 'typed.txt'), 'typed\n');
  const { stdout: patch } = await place.run('checkpoints', 'diff', session, '2');
  expect(patch).toMatch(/^diff --git a\/typed\.txt b\/typed\.txt\n[\s\S]*\n\+typed\n$/);
  expect(await place.run('checkpoints', 'diff', session, '1', '2')).toMatchObject({ code: 0, stdout: '' });
  expect(place.records()).toEqual([]);
});
