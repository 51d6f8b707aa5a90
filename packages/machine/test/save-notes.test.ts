import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { silentLog, temporaryHome } from '@tugdeck/testkit/temporary-home';
import { readSaves } from '@tugdeck/trees/carry/saves';
import { openShadow } from '@tugdeck/trees/turn-trees';
import { expect, test } from 'vitest';
import { FileService } from '../src/files/file-service.ts';
import { hashOf } from '../src/files/read-file.ts';
import { SaveNotes } from '../src/files/save-notes.ts';

const root = temporaryHome('td-saves-');
const home = join(root, 'shadows');
const fileOf = (session: string) => join(root, `${session}.jsonl`);

/** A project whose saves are recorded for the sessions that work in it. */
function project(name: string, working: readonly string[], folder = home) {
  const directory = join(root, name);
  mkdirSync(directory);
  writeFileSync(join(directory, 'a.sh'), 'one\n', { mode: 0o755 });
  const workingIn = (place: string) => (place === name ? working : []);
  const notes = new SaveNotes({ home: folder, workingIn, fileOf, log: silentLog });
  const files = new FileService({
    dataRoot: join(root, `data-${name}`),
    directoryOf: () => directory,
    marksOf: () => () => () => undefined,
    saved: (place, at, content) => notes.add(place, at, content),
    log: silentLog,
    now: () => 7,
  });
  return { directory, files };
}

test('T4 saves in the editor are recorded for the sessions that work in the folder, with both contents', async () => {
  const { directory, files } = project('busy', ['one', 'two']);
  const hash = hashOf(Buffer.from('one\n'));
  expect(await files.save('busy', 'a.sh', Buffer.from('two\n'), hash)).toMatchObject({ kind: 'saved' });
  expect(await files.save('busy', 'new.txt', Buffer.from('new\n'), undefined)).toMatchObject({
    kind: 'saved',
  });
  expect(await files.save('busy', 'a.sh', Buffer.from('three\n'), hash)).toMatchObject({ kind: 'changed' });
  const shadow = await openShadow({ home, project: directory });
  for (const session of ['one', 'two']) {
    const saves = await readSaves(fileOf(session));
    expect(
      saves.map(({ at, place, path, before, after }) => [at, place, path, before?.mode, after.mode]),
    ).toEqual([
      [7, shadow.place, 'a.sh', '100755', '100755'],
      [7, shadow.place, 'new.txt', undefined, '100644'],
    ]);
    // Kept also if everything unused is pruned.
    await shadow.run(['gc', '--quiet', '--prune=now']);
    const contents = saves.flatMap(({ before, after }) => [before, after]).filter((one) => one !== undefined);
    const texts = await Promise.all(contents.map(({ blob }) => shadow.text(['cat-file', 'blob', blob])));
    expect(texts).toEqual(['one\n', 'two\n', 'new\n']);
    expect(statSync(fileOf(session)).mode & 0o777).toBe(0o600);
  }
  await files.close();
});

test('T4 a save is not recorded while no session works in the folder, and a failed record does not fail it', async () => {
  const hash = hashOf(Buffer.from('one\n'));
  const idle = project('idle', []);
  await idle.files.save('idle', 'a.sh', Buffer.from('two\n'), hash);
  writeFileSync(join(root, 'no-folder'), '');
  const failing = project('failing', ['three'], join(root, 'no-folder'));
  expect(await failing.files.save('failing', 'a.sh', Buffer.from('two\n'), hash)).toMatchObject({
    kind: 'saved',
  });
  expect(readFileSync(join(failing.directory, 'a.sh'), 'utf8')).toBe('two\n');
  expect(await readSaves(fileOf('three'))).toEqual([]);
  for (const { files } of [idle, failing]) await files.close();
});
