import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CodedError } from '@tugdeck/protocol/wire/errors';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { serveEditors } from '../src/editors/editors-area.ts';
import { EDITORS } from '../src/editors/known-editors.ts';

let root: string;
let project: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'tugdeck-editors-')));
  project = join(root, 'project');
  mkdirSync(join(project, 'src'), { recursive: true });
  writeFileSync(join(project, 'src', 'a b.ts'), '');
  writeFileSync(join(root, 'secret'), '');
  symlinkSync(join(root, 'secret'), join(project, 'out'));
  mkdirSync(join(root, 'bin'));
});
afterEach(() => rmSync(root, { recursive: true }));

/** A program that writes its arguments, one per line. */
function install(name: string): void {
  const file = join(root, 'bin', name);
  writeFileSync(
    file,
    `#!/bin/sh\nprintf '%s\\n' "$@" > '${root}/ran.tmp'; /bin/mv '${root}/ran.tmp' '${root}/ran'\n`,
  );
  chmodSync(file, 0o755);
}
const ran = () => {
  try {
    return readFileSync(join(root, 'ran'), 'utf8').trimEnd().split('\n');
  } catch {
    return undefined; // Not yet.
  }
};

function open(environment: Record<string, string> = {}) {
  const pushes: unknown[] = [];
  const place = { directory: project, environment: { PATH: `${root}/bin`, ...environment } };
  const channel = serveEditors({ place: () => place as never }).open(
    { project: 'p' },
    { push: (message) => pushes.push(message), bytes: () => undefined },
  );
  return { channel, pushes };
}

describe('W8 editors on the machine', () => {
  test('W8 lists those that are installed, and the editor for terminals', () => {
    install('code');
    install('webstorm');
    const { pushes } = open({ EDITOR: '/usr/bin/vim -u NONE' });
    expect(pushes).toEqual([
      {
        state: {
          editors: [
            { id: 'vscode', label: 'VS Code' },
            { id: 'webstorm', label: 'WebStorm' },
          ],
          canReveal: process.platform === 'darwin',
          terminalEditor: 'vim',
        },
      },
    ]);
  });

  test('W8 opens a file at a line, as one argument', async () => {
    install('code');
    await open().channel.call({ type: 'open', editor: 'vscode', path: 'src/a b.ts', line: 7 });
    await expect.poll(ran).toEqual(['--goto', `${project}/src/a b.ts:7`]);
  });

  test('W8 opens the folder of the project', async () => {
    install('zed');
    await open().channel.call({ type: 'open', editor: 'zed', path: '' });
    await expect.poll(ran).toEqual([project]);
  });

  test.for(['../secret', 'out', '/etc/passwd', 'src/../../secret', 'missing'])(
    'W8 refuses %s',
    async (path) => {
      install('code');
      const refusal = await open()
        .channel.call({ type: 'open', editor: 'vscode', path })
        .catch((error: CodedError) => error.code);
      expect(['PATH_OUTSIDE', 'PATH_INVALID', 'ENOENT', 'FILE_NOT_FOUND']).toContain(refusal);
      expect(ran()).toBeUndefined();
    },
  );

  test('W8 refuses an editor that is not installed, or unknown', async () => {
    for (const editor of ['vscode', '/bin/sh', 'sh'])
      await expect(open().channel.call({ type: 'open', editor, path: '' })).rejects.toMatchObject({
        code: 'NOT_FOUND',
      });
  });

  test.for(EDITORS)('W8 $name gets absolute paths only', ({ args }) => {
    for (const arg of args('/p/-x', 3)) expect(arg).toMatch(/^(--goto|--line|3|\/p\/-x(:3)?)$/);
  });
});
