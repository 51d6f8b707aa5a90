/** A folder for one test file, with a HOME in it in which git knows a user. Both are removed after its tests. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

export function temporaryHome(prefix: string): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), prefix)));
  const before = process.env.HOME;
  const home = join(root, 'home');
  mkdirSync(home);
  writeFileSync(join(home, '.gitconfig'), '[user]\n\tname = A\n\temail = a@example.org\n');
  process.env.HOME = home;
  afterAll(() => {
    process.env.HOME = before;
    rmSync(root, { recursive: true, force: true });
  });
  return root;
}

const quiet = () => undefined;
export const silentLog = { debug: quiet, info: quiet, warn: quiet, error: quiet };
