/**
 * Full-screen programs, rendered by the host and by a page that attaches later: both show the same. Programs that are
 * not installed are skipped.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import type { Terminal } from '../src/terminal.ts';
import { FakePage, openTerminal } from './fake-page.ts';

const place = mkdtempSync(join(tmpdir(), 'tugdeck-programs-'));
const text = join(place, 'text');
writeFileSync(text, Array.from({ length: 200 }, (_, index) => `line ${index + 1} äöü 漢字 🙂`).join('\n'));
const open: Terminal[] = [];
afterEach(() => {
  for (const terminal of open.splice(0)) terminal.close();
});

const isInstalled = (name: string) =>
  ['/usr/bin', '/bin', '/usr/local/bin'].some((at) => existsSync(join(at, name)));

function start(...line: string[]): { terminal: Terminal; page: FakePage } {
  const terminal = openTerminal('/bin/sh', ['-c', line.join(' ')]);
  open.push(terminal);
  return { terminal, page: new FakePage(terminal, { withHistory: true }) };
}

/** Attaches a second page and checks that it shows the same as the first. */
async function expectSameScreen(terminal: Terminal, first: FakePage): Promise<string> {
  const second = new FakePage(terminal, { withHistory: true });
  await second.until(() => second.screens === 1);
  let shown = '';
  await expect
    .poll(async () => {
      shown = await first.drawn();
      return textByPosition(await second.drawn()) === textByPosition(shown);
    })
    .toBe(true);
  return shown;
}

const ESC = '\u001b';
/** The text by position; a blank can be written in several ways. Colors are compared in `screen.test.ts`. */
function textByPosition(screen: string): string {
  return screen
    .replace(new RegExp(`${ESC}\\[(\\d+)C`, 'g'), (_, count) => ' '.repeat(Number(count)))
    .replace(new RegExp(`${ESC}\\[[\\d;]*[mX]`, 'g'), '')
    .replace(/ +(?=\r\n|$)/g, '');
}

test('W1 renders cursor moves, colors, scroll regions, wide characters and tabs like a terminal test suite', async () => {
  const { terminal, page } = start(
    `printf '\\033[2J\\033[1;1H\\033#8\\033[5;20r\\033[6;1Hinside\\033[20;1H\\n\\n\\033[r'`,
    `; printf '\\033[10;10H\\033[1;4;31;44mstyled\\033[0m\\033[3;1H漢字\\t🙂\\033[2K\\033[4;5H\\033[2@\\033[3P'`,
    `; printf '\\033(0lqqk\\033(B\\033[?7l%0200d\\033[?7h' 1; printf '\\033[24;1Hlast'; read end`,
  );
  await page.shows('last');
  const shown = await expectSameScreen(terminal, page);
  expect(shown).toContain('styled');
  expect(shown).toContain('┌──┐');
});

test('W1 less uses the alternate screen, reads keys and returns', async () => {
  const { terminal, page } = start(`less ${text}; echo b""ack; read end`);
  await page.shows('line 20');
  page.type('G');
  await page.shows('line 200');
  expect(await expectSameScreen(terminal, page)).toContain('line 200 äöü 漢字 🙂');
  page.type('q');
  await page.shows('back');
  expect(await expectSameScreen(terminal, page)).not.toContain('\u001b[?1049h');
});

test.skipIf(!isInstalled('top'))('W1 top redraws itself', async () => {
  const { terminal, page } = start('top -d 0.2');
  await page.shows(/load average|Load Avg/);
  page.type('q');
  await page.ended();
  expect(terminal.info.state).toEqual({ type: 'exited', code: 0 });
});

test.skipIf(!isInstalled('vim'))('W1 vim edits at any size and saves', async () => {
  const { terminal, page } = start(`vim -u NONE ${text}`);
  await page.shows('line 1 ');
  page.type('ggOhello from vim\u001b');
  await page.shows('hello from vim');
  terminal.resize({ cols: 100, rows: 30 });
  await page.until(() => page.size.cols === 100);
  expect(await expectSameScreen(terminal, page)).toContain('hello from vim');
  page.type(':wq\r');
  await page.ended();
  expect(execFileSync('head', ['-1', text], { encoding: 'utf8' })).toBe('hello from vim\n');
});

test.skipIf(!isInstalled('htop'))('W1 htop draws its bars', async () => {
  const { page } = start('htop -d 2');
  await page.shows(/Load average|Tasks/);
  page.type('q');
  await page.ended();
});

test.skipIf(!isInstalled('tmux'))('W14 tmux splits its screen', async () => {
  const socket = join(place, 'tmux');
  const { terminal, page } = start(`tmux -u -f /dev/null -S ${socket} new-session 'sh'`);
  // Checks the rendered screen, because tmux may send a line in pieces with cursor moves in between.
  const draws = (text: string) => expect.poll(() => page.drawn()).toContain(text);
  await draws('[0]');
  page.type('echo in tm""ux\r');
  await draws('in tmux');
  page.type('\u0002%');
  await draws('│');
  expect(await expectSameScreen(terminal, page)).toContain('in tmux');
  execFileSync('tmux', ['-S', socket, 'kill-server']);
  await page.ended();
  rmSync(place, { recursive: true });
});
