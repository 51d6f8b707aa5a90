import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { launchersOf, withPage } from '../src/open-browser.ts';

const PAGE = '/data/run/open-1.html';
const calls = (BROWSER: string) => launchersOf({ BROWSER }).map((words) => withPage(words, PAGE));

test.each([
  ['firefox', [['firefox', PAGE]]],
  ['firefox --new-window', [['firefox', '--new-window', PAGE]]],
  ['firefox "--profile name" %s -x', [['firefox', '--profile name', PAGE, '-x']]],
  ["run 'a b' --url=%s", [['run', 'a b', `--url=${PAGE}`]]],
  [
    'none:w3m %s:lynx',
    [
      ['none', PAGE],
      ['w3m', PAGE],
      ['lynx', PAGE],
    ],
  ],
  ['x 100%% a%cb', [['x', '100%', 'a:b', PAGE]]],
  ['x "a\\"b" c\\ d', [['x', 'a"b', 'c d', PAGE]]],
  ['x $(id) `id` ;y', [['x', '$(id)', '`id`', ';y', PAGE]]],
  [' : ', []],
])('L21 BROWSER=%s is parsed as usual, without a shell', (browser, expected) => {
  expect(calls(browser)).toEqual(expected);
});

test('L21 a program path with spaces or colons is one command', () => {
  const root = mkdtempSync(join(tmpdir(), 'tb-'));
  const program = join(root, 'my browser:1');
  writeFileSync(program, '');
  expect(calls(program)).toEqual([[program, PAGE]]);
  rmSync(root, { recursive: true });
});

test('L21 without BROWSER the system decides, and without a display nothing is opened', () => {
  expect(launchersOf({}, 'linux')).toEqual([]);
  expect(launchersOf({ WAYLAND_DISPLAY: 'w' }, 'linux')).toEqual([['xdg-open']]);
  expect(launchersOf({}, 'darwin')).toEqual([['open']]);
});
