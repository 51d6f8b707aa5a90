/**
 * Programs that ask the most of a terminal, drawn by the host and by a page that comes later: both show the same.
 * Those that a machine may not have are left out with a word.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import type { Terminal } from '../src/terminal.ts';
import { Looker, openTerminal } from './looker.ts';

const place = mkdtempSync(join(tmpdir(), 'tugdeck-programs-'));
const text = join(place, 'text');
writeFileSync(text, Array.from({ length: 200 }, (_, index) => `line ${index + 1} äöü 漢字 🙂`).join('\n'));
const open: Terminal[] = [];
afterEach(() => {
  for (const terminal of open.splice(0)) terminal.close();
});

const isThere = (name: string) =>
  ['/usr/bin', '/bin', '/usr/local/bin'].some((at) => existsSync(join(at, name)));

function start(...line: string[]): { terminal: Terminal; looker: Looker } {
  const terminal = openTerminal('/bin/sh', ['-c', line.join(' ')]);
  open.push(terminal);
  return { terminal, looker: new Looker(terminal, { withHistory: true }) };
}

/** A second page comes: it is shown what the first one has drawn. */
async function looksTheSame(terminal: Terminal, first: Looker): Promise<string> {
  const second = new Looker(terminal, { withHistory: true });
  await second.until(() => second.screens === 1);
  let shown = '';
  await expect
    .poll(
      async () => {
        shown = await first.drawn();
        return letters(await second.drawn()) === letters(shown);
      },
      { timeout: 10_000 },
    )
    .toBe(true);
  return shown;
}

const ESC = '\u001b';
/** What is where; one blank can be written in several ways. Colours are compared in `screen.test.ts`. */
function letters(screen: string): string {
  return screen
    .replace(new RegExp(`${ESC}\\[(\\d+)C`, 'g'), (_, count) => ' '.repeat(Number(count)))
    .replace(new RegExp(`${ESC}\\[[\\d;]*[mX]`, 'g'), '')
    .replace(/ +(?=\r\n|$)/g, '');
}

test('W1 cursor, colours, regions, characters of two cells and tabs: the screens of a test of terminals', async () => {
  const { terminal, looker } = start(
    `printf '\\033[2J\\033[1;1H\\033#8\\033[5;20r\\033[6;1Hinside\\033[20;1H\\n\\n\\033[r'`,
    `; printf '\\033[10;10H\\033[1;4;31;44mstyled\\033[0m\\033[3;1H漢字\\t🙂\\033[2K\\033[4;5H\\033[2@\\033[3P'`,
    `; printf '\\033(0lqqk\\033(B\\033[?7l%0200d\\033[?7h' 1; printf '\\033[24;1Hlast'; read end`,
  );
  await looker.shows('last');
  const shown = await looksTheSame(terminal, looker);
  expect(shown).toContain('styled');
  expect(shown).toContain('┌──┐');
});

test('W1 less: the other screen, keys, and back', async () => {
  const { terminal, looker } = start(`less ${text}; echo b""ack; read end`);
  await looker.shows('line 20');
  looker.type('G');
  await looker.shows('line 200');
  expect(await looksTheSame(terminal, looker)).toContain('line 200 äöü 漢字 🙂');
  looker.type('q');
  await looker.shows('back');
  expect(await looksTheSame(terminal, looker)).not.toContain('\u001b[?1049h');
});

test.skipIf(!isThere('top'))('W1 top draws itself anew', async () => {
  const { terminal, looker } = start('top -d 0.2');
  await looker.shows(/load average|Load Avg/);
  looker.type('q');
  await looker.ended();
  expect(terminal.info.state).toEqual({ type: 'exited', code: 0 });
});

test.skipIf(!isThere('vim'))('W1 vim edits, at any size, and saves', async () => {
  const { terminal, looker } = start(`vim -u NONE ${text}`);
  await looker.shows('line 1 ');
  looker.type('ggOhello from vim\u001b');
  await looker.shows('hello from vim');
  terminal.resize({ cols: 100, rows: 30 });
  await looker.until(() => looker.size.cols === 100);
  expect(await looksTheSame(terminal, looker)).toContain('hello from vim');
  looker.type(':wq\r');
  await looker.ended();
  expect(execFileSync('head', ['-1', text], { encoding: 'utf8' })).toBe('hello from vim\n');
});

test.skipIf(!isThere('htop'))('W1 htop draws its bars', async () => {
  const { looker } = start('htop -d 2');
  await looker.shows(/Load average|Tasks/);
  looker.type('q');
  await looker.ended();
});

test.skipIf(!isThere('tmux'))('W1 tmux splits its screen in ours', async () => {
  const socket = join(place, 'tmux');
  const { terminal, looker } = start(`tmux -u -f /dev/null -S ${socket} new-session 'sh'`);
  // By what is drawn: it may send a line in pieces, with moves of the cursor between them.
  const draws = (text: string) => expect.poll(() => looker.drawn()).toContain(text);
  await draws('[0]');
  looker.type('echo in tm""ux\r');
  await draws('in tmux');
  looker.type('\u0002%');
  await draws('│');
  expect(await looksTheSame(terminal, looker)).toContain('in tmux');
  execFileSync('tmux', ['-S', socket, 'kill-server']);
  await looker.ended();
  rmSync(place, { recursive: true });
});
