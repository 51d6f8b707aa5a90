/**
 * Copies everything of one shadow repository into another, by hard links where possible. Earlier versions had one per
 * project folder; a host of such a version may still write there, so the former one stays until its sessions are
 * deleted, and is adopted again whenever the other is opened. Adopted refs name the folder, because records of that
 * time don't.
 */
import { constants } from 'node:fs';
import { copyFile, link, mkdir, readdir } from 'node:fs/promises';
import { devNull } from 'node:os';
import { basename, join } from 'node:path';
import { git } from '@tugdeck/local/git';

const ENVIRONMENT = { GIT_CONFIG_GLOBAL: devNull, GIT_CONFIG_NOSYSTEM: '1' };
/** Git finds a pack by its index. */
const INDEX = /\.idx$/;
const OBJECTS = /^([0-9a-f]{2}|pack)$/;

export async function adoptShadow(former: string, directory: string): Promise<void> {
  for (const name of (await readdir(join(former, 'objects'))).filter((one) => OBJECTS.test(one))) {
    const [from, to] = [former, directory].map((one) => join(one, 'objects', name));
    if (from === undefined || to === undefined) continue;
    const files = (await readdir(from)).filter((file) => !file.startsWith('tmp_'));
    if (files.length === 0) continue;
    await mkdir(to, { recursive: true, mode: 0o700 });
    const known = new Set(await readdir(to));
    const missing = files.filter((file) => !known.has(file));
    missing.sort((a, b) => Number(INDEX.test(a)) - Number(INDEX.test(b)));
    for (const file of missing) await linkOrCopy(join(from, file), join(to, file));
  }
  const prefix = `refs/adopted/${basename(former)}/`;
  const known = new Set((await refsOf(directory, [prefix])).map(({ ref }) => ref));
  const input = (await refsOf(former, ['refs/trees/', 'refs/restores/']))
    .map(({ ref, tree }) => ({ ref: `${prefix}${ref.slice('refs/'.length)}`, tree }))
    .filter(({ ref }) => !known.has(ref))
    .map(({ ref, tree }) => `create ${ref}\0${tree}\0`)
    .join('');
  if (input === '') return;
  const environment = { ...ENVIRONMENT, GIT_DIR: directory };
  // Refused if another process was faster, or a tree was removed: the next opening tries again.
  const answers = [1, 128];
  await git({ directory, args: ['update-ref', '-z', '--stdin'], input, environment, answers });
}

async function linkOrCopy(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // Another process was faster, or the former one was cleaned up.
    if (code === 'EEXIST' || code === 'ENOENT') return;
    await copyFile(from, to, constants.COPYFILE_EXCL);
  }
}

async function refsOf(
  directory: string,
  prefixes: readonly string[],
): Promise<{ ref: string; tree: string }[]> {
  const args = ['for-each-ref', '--format=%(refname) %(objectname)', ...prefixes];
  const environment = { ...ENVIRONMENT, GIT_DIR: directory };
  const { stdout } = await git({ directory, args, environment });
  return stdout
    .toString('utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => {
      const [ref = '', tree = ''] = line.split(' ');
      return { ref, tree };
    });
}
