import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  lchownSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { checkDataDirectory, dataDirectory, makeDataDirectory } from '../src/data-directory.ts';
import { openLedger } from '../src/ledger.ts';
import { connectOwn } from '../src/own-socket.ts';
import { checkAncestors, readOwnFile } from '../src/ownership.ts';
import { isPrivateGroup } from '../src/trusted-owner.ts';

const isRoot = process.getuid?.() === 0;
/** A user id that does not exist can still own files. */
const MALLORY = 64_011;

let base: string;
let root: string;
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'tp-')));
  root = join(base, 'data');
  mkdirSync(root, { mode: 0o700 });
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const codeOf = (check: () => unknown): string => {
  try {
    check();
    return 'passed';
  } catch (error) {
    return error instanceof CodedError ? error.code : String(error);
  }
};
const plant = (name: string, mode: number, owner?: number) => {
  const path = join(root, name);
  if (name.includes('.')) writeFileSync(path, '{}');
  else mkdirSync(path, { recursive: true });
  chmodSync(path, mode);
  if (owner !== undefined) chownSync(path, owner, owner);
};

describe('data directory', () => {
  test('X9 accepts a private directory and one that does not exist yet', () => {
    expect(codeOf(() => checkDataDirectory(root))).toBe('passed');
    expect(codeOf(() => checkDataDirectory(join(base, 'none', 'yet')))).toBe('passed');
    expect(existsSync(join(base, 'none'))).toBe(false);
  });

  test.each([0o777, 0o1777, 0o770, 0o720, 0o702])('X9 refuses mode %o and suggests a command', (mode) => {
    chmodSync(root, mode);
    expect(() => checkDataDirectory(root)).toThrow(/Other users can change .* \(mode/);
    expect(() => makeDataDirectory(root)).toThrow(
      expect.objectContaining({ code: 'DATA_UNSAFE', hint: expect.stringContaining(`chmod 700 ${root}`) }),
    );
    expect(statSync(root).mode & 0o7777).toBe(mode);
  });

  test.each([0o755, 0o750, 0o711])('X9 removes access of others from mode %o', (mode) => {
    chmodSync(root, mode);
    checkDataDirectory(root);
    expect(statSync(root).mode & 0o777).toBe(0o700);
  });

  test.runIf(isRoot)('X9 refuses a directory of another user, even for root', () => {
    chownSync(root, MALLORY, MALLORY);
    expect(() => checkDataDirectory(root)).toThrow(`belongs to another user (uid ${MALLORY})`);
    expect(codeOf(() => makeDataDirectory(root))).toBe('DATA_UNSAFE');
  });

  test('X9 refuses a directory above that others can write to, unless it is sticky', () => {
    chmodSync(base, 0o777);
    expect(codeOf(() => checkDataDirectory(root))).toBe('DATA_UNSAFE');
    expect(codeOf(() => makeDataDirectory(join(base, 'fresh')))).toBe('DATA_UNSAFE');
    expect(existsSync(join(base, 'fresh'))).toBe(false);
    chmodSync(base, 0o1777);
    expect(codeOf(() => checkDataDirectory(root))).toBe('passed');
    expect(codeOf(() => makeDataDirectory(join(base, 'fresh')))).toBe('passed');
  });

  test.runIf(isRoot)('X9 refuses a directory above that belongs to another user, whatever its mode', () => {
    chownSync(base, MALLORY, MALLORY);
    chmodSync(base, 0o1755);
    expect(codeOf(() => checkDataDirectory(root))).toBe('DATA_UNSAFE');
  });

  test('X9 follows our own link and checks its target', () => {
    const link = join(base, 'link');
    symlinkSync('data', link);
    expect(checkAncestors(join(link, 'x'))).toBe(join(root, 'x'));
    expect(codeOf(() => checkDataDirectory(link))).toBe('passed');
    mkdirSync(join(base, 'open', 'data'), { recursive: true });
    chmodSync(join(base, 'open'), 0o777);
    symlinkSync('../open/./data', join(root, 'far'));
    expect(codeOf(() => checkDataDirectory(join(root, 'far')))).toBe('DATA_UNSAFE');
  });

  test.runIf(isRoot)('X9 refuses a link of another user, even to our own directory', () => {
    chmodSync(base, 0o1777);
    const link = join(base, 'link');
    symlinkSync(root, link);
    lchownSync(link, MALLORY, MALLORY);
    expect(codeOf(() => checkDataDirectory(link))).toBe('DATA_UNSAFE');
  });

  test('X9 refuses circular links', () => {
    symlinkSync('b', join(base, 'a'));
    symlinkSync('a', join(base, 'b'));
    expect(codeOf(() => checkDataDirectory(join(base, 'a')))).toBe('DATA_UNSAFE');
  });

  const NAMES = ['config.json', 'keys.json', 'password.json', 'tugdeck.db', 'tugdeck.db-wal', 'search.db'];
  const FOLDERS = [
    'run',
    'run/ledger',
    'sessions',
    'trees',
    'worktrees',
    'archive',
    'logs',
    'cache',
    'trash',
    'saves',
  ];
  test.each([...NAMES, ...FOLDERS])('X9 refuses %s if others can write to it', (name) => {
    plant(name, 0o755);
    expect(codeOf(() => checkDataDirectory(root))).toBe('passed');
    chmodSync(join(root, name), 0o722);
    expect(codeOf(() => checkDataDirectory(root))).toBe('DATA_UNSAFE');
  });
  test.runIf(isRoot).each([...NAMES, ...FOLDERS])('X9 refuses %s of another user', (name) => {
    plant(name, 0o700, MALLORY);
    expect(codeOf(() => checkDataDirectory(root))).toBe('DATA_UNSAFE');
  });
});

describe('files', () => {
  test('X9 reads our own file, also through a link, but none that others can write to', () => {
    const file = join(root, 'config.json');
    expect(readOwnFile(file)).toBeUndefined();
    mkdirSync(join(base, 'dotfiles'));
    const target = join(base, 'dotfiles', 'tugdeck.json');
    writeFileSync(target, '{"port":1}');
    symlinkSync(target, file);
    expect(readOwnFile(file)).toBe('{"port":1}');
    expect(codeOf(() => checkDataDirectory(root))).toBe('passed');
    chmodSync(target, 0o666);
    expect(codeOf(() => readOwnFile(file))).toBe('DATA_UNSAFE');
    chmodSync(target, 0o644);
    chmodSync(join(base, 'dotfiles'), 0o777);
    expect(codeOf(() => checkDataDirectory(root))).toBe('DATA_UNSAFE');
  });

  test.runIf(isRoot)('X9 reads no file of another user', () => {
    plant('config.json', 0o644, MALLORY);
    expect(codeOf(() => readOwnFile(join(root, 'config.json')))).toBe('DATA_UNSAFE');
  });

  test('X9 accepts a group-writable file only if the group has no other members', () => {
    plant('config.json', 0o664);
    const { gid } = statSync(join(root, 'config.json'));
    const expected = isPrivateGroup(gid) ? 'passed' : 'DATA_UNSAFE';
    expect(codeOf(() => readOwnFile(join(root, 'config.json')))).toBe(expected);
    expect(isPrivateGroup(0)).toBe(false);
  });

  test('X9 a directory or pipe instead of a file is a coded error', () => {
    mkdirSync(join(root, 'keys.json'));
    execFileSync('mkfifo', [join(root, 'config.json')]);
    expect(codeOf(() => readOwnFile(join(root, 'config.json')))).toBe('DATA_UNREADABLE');
    expect(codeOf(() => readOwnFile(join(root, 'keys.json')))).toBe('DATA_UNREADABLE');
  });

  test('X9 ignores a ledger record that another user could have written', () => {
    const ledger = openLedger(dataDirectory(root).ledger);
    const record = { id: 'host-1', purpose: 'host', identity: { pid: 1, started: '2' } } as const;
    ledger.write(record);
    const file = join(dataDirectory(root).ledger, 'host-1.json');
    chmodSync(file, 0o666);
    expect(ledger.get('host-1')).toBeUndefined();
    expect(ledger.read()).toEqual([]);
    chmodSync(file, 0o600);
    if (isRoot) chownSync(file, MALLORY, MALLORY);
    expect(ledger.read()).toEqual(isRoot ? [] : [record]);
  });
});

describe('sockets', () => {
  let server: Server;
  let received: string;
  let path: string;
  beforeEach(async () => {
    received = '';
    path = join(root, 's.sock');
    server = createServer((client) => {
      client.on('data', (chunk: Buffer) => {
        received += chunk.toString();
        client.end('thanks');
      });
    });
    await new Promise<void>((resolve) => server.listen(path, resolve));
  });
  afterEach(() => new Promise((resolve) => server.close(resolve)));

  const send = (to: string): Promise<string> =>
    new Promise((resolve) => {
      const socket = connectOwn(to);
      socket.on('connect', () => socket.write('secret'));
      socket.on('data', (chunk: Buffer) => resolve(chunk.toString()));
      socket.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? ''));
    });

  test('X9 connects to our own socket in a private directory', async () => {
    expect(await send(path)).toBe('thanks');
    expect(received).toBe('secret');
  });

  test('X9 a missing socket fails like any connection', async () => {
    expect(await send(join(root, 'none.sock'))).toBe('ENOENT');
    expect(await send(join(base, 'none', 'none.sock'))).toBe('ENOENT');
  });

  test.each([0o777, 0o755, 0o710])('X9 sends nothing into a directory of mode %o', (mode) => {
    chmodSync(root, mode);
    expect(codeOf(() => connectOwn(path))).toBe('DATA_UNSAFE');
  });

  test('X9 sends nothing through a link, to a file, or into a replaceable directory', () => {
    symlinkSync(path, join(root, 'link.sock'));
    expect(codeOf(() => connectOwn(join(root, 'link.sock')))).toBe('DATA_UNSAFE');
    symlinkSync(root, join(base, 'link'));
    expect(codeOf(() => connectOwn(join(base, 'link', 's.sock')))).toBe('DATA_UNSAFE');
    writeFileSync(join(root, 'file.sock'), '');
    expect(codeOf(() => connectOwn(join(root, 'file.sock')))).toBe('DATA_UNSAFE');
    chmodSync(base, 0o777);
    expect(codeOf(() => connectOwn(path))).toBe('DATA_UNSAFE');
  });

  test.runIf(isRoot)('X9 sends nothing to a socket or into a directory of another user', () => {
    chownSync(path, MALLORY, MALLORY);
    expect(codeOf(() => connectOwn(path))).toBe('DATA_UNSAFE');
    chownSync(path, 0, 0);
    chownSync(root, MALLORY, MALLORY);
    expect(codeOf(() => connectOwn(path))).toBe('DATA_UNSAFE');
    expect(received).toBe('');
  });
});
