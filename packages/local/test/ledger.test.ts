import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { agentEnvironment } from '../src/agent-environment.ts';
import { dataDirectory } from '../src/data-directory.ts';
import { openLedger } from '../src/ledger.ts';
import { openLog } from '../src/log.ts';
import { runtimeDirectory } from '../src/runtime-directory.ts';
import { DEFAULT_TIMINGS, withTimings } from '../src/timings.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'tl-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const record = { id: 'host-1', purpose: 'host', identity: { pid: 1, started: '2' } } as const;

test('H1 the ledger keeps one private file per process', () => {
  const ledger = openLedger(join(directory, 'ledger'));
  ledger.write(record);
  expect(openLedger(join(directory, 'ledger')).read()).toEqual([record]);
  expect(statSync(join(directory, 'ledger', 'host-1.json')).mode & 0o777).toBe(0o600);
  ledger.remove('host-1');
  expect(ledger.get('host-1')).toBeUndefined();
});

test('H1 ignores a damaged ledger file', () => {
  const ledger = openLedger(directory);
  writeFileSync(join(directory, 'host-2.json'), '{"id":"host-2","pid":');
  writeFileSync(join(directory, 'host-3.json'), '{"id":"../x"}');
  ledger.write(record);
  expect(ledger.read()).toEqual([record]);
});

test('X1 rejects ids that are not valid path segments', () => {
  expect(() => dataDirectory(directory).session('../../etc')).toThrow();
  expect(() => openLedger(directory).write({ ...record, id: '../x' })).toThrow();
});

test('X1 the runtime directory is private and has a short path', () => {
  const own = runtimeDirectory(join(directory, 'a very long data directory name'.repeat(5)), {
    TUGDECK_RUNTIME_DIR: directory,
  });
  expect(statSync(own).mode & 0o777).toBe(0o700);
  expect(own.length - directory.length).toBeLessThan(40);
});

test('X3 rotates logs and redacts secrets', () => {
  const file = join(directory, 'logs', 'x.log');
  const log = openLog({ file, name: 'test', maxBytes: 400 });
  for (let line = 0; line < 6; line++) log.info('hello', { line, apiKey: 'sk-1', deep: { token: 'sk-2' } });
  const text = readFileSync(file, 'utf8') + readFileSync(`${file}.1`, 'utf8');
  expect(text).not.toContain('sk-');
  expect(text).toContain('[removed]');
  expect(statSync(file).size).toBeLessThanOrEqual(400);
});

test('L9 agents get the environment of the call without variables of npm, Tugdeck or an enclosing agent', () => {
  const given = {
    PATH: '/clone/node_modules/.bin:/usr/lib/node_modules/npm/node_modules/@npmcli/run-script/lib/node-gyp-bin:/usr/bin:/bin',
    HOME: '/home/me',
    npm_config_x: '1',
    NODE_OPTIONS: '--inspect',
    INIT_CWD: '/clone',
    TUGDECK_PORT: '1',
    NESTED_AGENT: '1',
    EDITOR: 'vi',
  };
  expect(agentEnvironment(given, [/^NESTED_AGENT$/])).toEqual({
    PATH: '/usr/bin:/bin',
    HOME: '/home/me',
    EDITOR: 'vi',
  });
});

test('X6 agents find no program in the project by a relative folder of the PATH', () => {
  const path = (given: string) => agentEnvironment({ PATH: given }).PATH;
  expect(path(':/usr/bin:.:bin:./bin::/bin:')).toBe('/usr/bin:/bin');
  // An empty PATH would be the current directory too.
  expect(path('.')).toBe('/usr/bin:/bin');
  expect(path('')).toBe('/usr/bin:/bin');
});

test('L3 rejects unknown or negative timings', () => {
  expect(withTimings({ idleMs: 5 })).toEqual({ ...DEFAULT_TIMINGS, idleMs: 5 });
  expect(() => withTimings({ idleMs: -1 })).toThrow();
  expect(() => withTimings({ idleSeconds: 1 })).toThrow();
});

test('X3 an unwritable log stops nothing and later reports the number of lost lines', () => {
  const file = join(directory, 'logs', 'a.log');
  const log = openLog({ file, name: 'test' });
  mkdirSync(file);
  log.info('one');
  log.error('two', { error: new Error('three') });
  rmSync(file, { recursive: true });
  log.info('four');
  expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ message: 'four', lost: 2 });
});
