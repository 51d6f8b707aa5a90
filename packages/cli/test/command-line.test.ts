import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { COMMANDS, OPTIONS, parseCommandLine, UsageError } from '../src/command-line.ts';
import { commandHelp, helpText } from '../src/commands/help.ts';
import { makeDemoProject } from '../src/demo-project.ts';
import { type ListedSession, newestIn } from '../src/sessions/session-list.ts';
import { readSettings } from '../src/settings.ts';

let data: string;
beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), 'tugdeck-settings-'));
});
afterEach(() => rmSync(data, { recursive: true, force: true }));

const settings = (words: string[], environment: NodeJS.ProcessEnv = {}) =>
  readSettings(parseCommandLine(['--data-dir', data, ...words]), environment, '/').configuration;

describe('words', () => {
  test('L1 a directory is the only argument of start', () => {
    expect(parseCommandLine(['some/dir', '--no-open', '--port=1234'])).toMatchObject({
      command: 'start',
      arguments: ['some/dir'],
      values: { port: '1234' },
    });
    expect(parseCommandLine([])).toMatchObject({ command: 'start', arguments: [] });
    expect(parseCommandLine(['./stop'])).toMatchObject({ command: 'start', arguments: ['./stop'] });
    expect(parseCommandLine(['stop', '--all'])).toMatchObject({ command: 'stop', arguments: [] });
  });

  test.each([
    [['--prot', '1'], 'unknown option --prot'],
    [['-x'], 'unknown option -x'],
    [['--port'], '--port'],
    [['--all'], "--all can't be used with"],
    [['stop', '--port', '1'], "--port can't be used with"],
    [['a', 'b'], 'too many arguments: b'],
    [['stop', 'now'], 'too many arguments: now'],
    [['--no-open=yes'], '--no-open'],
    [['talk', 'now'], 'too many arguments: now'],
    [['doctor', '--raw'], "--raw can't be used with"],
    [['send', '--keep', 'x'], "--keep can't be used with"],
  ])('L3 %j is refused with a message', (words, message) => {
    expect(() => parseCommandLine(words)).toThrowError(UsageError);
    expect(() => parseCommandLine(words)).toThrowError(message);
  });

  test('L6 a message or search may be several words', () => {
    expect(parseCommandLine(['send', '--wait', 'two', 'words'])).toMatchObject({
      command: 'send',
      arguments: ['two', 'words'],
    });
    expect(parseCommandLine(['sessions', 'search', 'two', 'words', '--json'])).toMatchObject({
      command: 'sessions',
      arguments: ['search', 'two', 'words'],
    });
  });

  test('L3 help lists every command, option, default and variable', () => {
    const text = helpText();
    for (const { usage } of Object.values(COMMANDS)) expect(text).toContain(usage);
    for (const { name, variable, fallback } of OPTIONS) {
      expect(text).toContain(`--${name}`);
      if (variable) expect(text).toContain(variable);
      if (fallback) expect(text).toContain(fallback);
    }
  });

  test('L3 help of one command describes an option as that command uses it', () => {
    expect(commandHelp('stop')).toMatch(/--all +Also end all sessions/);
    expect(commandHelp('sessions')).toMatch(/--all +list: include external sessions/);
    expect(commandHelp('talk')).toMatch(/--agent NAME +Agent for a new session\n +default:/);
    expect(commandHelp('replay')).toMatch(
      /--agent NAME +Agent that made the recording \(required\)\n +--json/,
    );
  });
});

describe('settings', () => {
  test('L3 an option overrides its variable, which overrides config.json', () => {
    writeFileSync(join(data, 'config.json'), JSON.stringify({ port: 1, logLevel: 'warn', open: true }));
    expect(settings([])).toMatchObject({ port: 1, logLevel: 'warn', open: true });
    const environment = { TUGDECK_PORT: '2', TUGDECK_LOG_LEVEL: 'error', TUGDECK_NO_OPEN: '1' };
    expect(settings([], environment)).toMatchObject({ port: 2, logLevel: 'error', open: false });
    expect(settings(['--port', '3', '--log-level', 'debug'], environment)).toMatchObject({
      port: 3,
      logLevel: 'debug',
    });
  });

  test.each([
    [['--port', 'many'], '--port'],
    [['--port', '70000'], '--port'],
    [['--log-level', 'loud'], '--log-level'],
  ])('L3 %j is refused and named', (words, message) => {
    expect(() => settings(words)).toThrowError(UsageError);
    expect(() => settings(words)).toThrowError(message);
  });

  test('X20 remote access can be configured in every way, with files relative to the current directory', () => {
    const words = ['--host', '0.0.0.0', '--name', 'deck.test', '--tls-cert', 'c.pem', '--tls-key', '/k.pem'];
    expect(settings(words)).toMatchObject({
      host: '0.0.0.0',
      name: 'deck.test',
      tlsCert: '/c.pem',
      tlsKey: '/k.pem',
    });
    expect(settings([], { TUGDECK_HOST: '::', TUGDECK_PLAIN_HTTP: '1' })).toMatchObject({
      host: '::',
      plainHttp: true,
    });
    expect(settings(['--host', '::'])).not.toHaveProperty('plainHttp');
  });

  test.each(['{', '{"prot": 1}', '{"timings": {"nothing": 1}}', '[]'])(
    'L3 an invalid config.json is reported with its path: %s',
    (text) => {
      writeFileSync(join(data, 'config.json'), text);
      expect(() => settings([])).toThrowError(expect.objectContaining({ code: 'DATA_UNREADABLE' }));
    },
  );
});

test('L22 the demo project, and a data directory created with it, are private', () => {
  const root = join(data, 'made', 'tugdeck');
  for (const made of [makeDemoProject(root), root]) expect(statSync(made).mode & 0o077).toBe(0);
});

test('L24 send without a session id skips archived and trashed sessions', () => {
  const session = (id: string, more: Partial<ListedSession> = {}) =>
    ({ id, directory: '/here', archived: false, ...more }) as ListedSession;
  const away = [
    session('a', { trashedAt: 1 }),
    session('b', { archived: true }),
    session('c', { directory: '/' }),
  ];
  expect(newestIn(away, '/here')).toBeUndefined();
  expect(newestIn([...away, session('d'), session('e')], '/here')?.id).toBe('d');
});
