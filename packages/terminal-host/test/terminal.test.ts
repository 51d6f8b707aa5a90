/** Real programs in real PTYs: nothing is lost, and a suspended page stops nobody. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { MIN_WINDOW } from '../src/page-window.ts';
import type { Terminal } from '../src/terminal.ts';
import { FakePage, openTerminal } from './fake-page.ts';

const open: Terminal[] = [];
const start = (script: string, stallMs?: number) => {
  const terminal = openTerminal('/bin/sh', ['-c', script], stallMs);
  open.push(terminal);
  return terminal;
};
afterEach(() => {
  for (const terminal of open.splice(0)) terminal.close();
});

/** The first difference between two texts, or nothing; a diff of megabytes would be unreadable. */
function firstDifference(text: string, expected: string): string | undefined {
  if (text === expected) return undefined;
  let at = 0;
  while (text[at] === expected[at]) at++;
  return `at ${at} of ${text.length}/${expected.length}: ${JSON.stringify(text.slice(at, at + 40))}`;
}

/** Long lines: a screen parses them faster than short ones, which speeds up the tests. */
const count = (most: number) => `seq -f %078.0f 1 ${most}`;
/** The same text as the terminal receives it. */
const counted = (most: number) =>
  Array.from({ length: most }, (_, index) => `${String(index + 1).padStart(78, '0')}\r\n`).join('');

describe('W1 one terminal', () => {
  test('W1 a page receives every byte of a program once and in order', async () => {
    const page = new FakePage(start(`read go; ${count(8_000)}`));
    page.type('\n');
    await page.ended();
    expect(firstDifference(page.text, `\r\n${counted(8_000)}`)).toBeUndefined();
    expect(page.screens).toBe(1);
    expect(page.lastInfo?.state).toEqual({ type: 'exited', code: 0 });
  });

  test('W11 a page that renders nothing pauses the program at the limit and loses nothing', async () => {
    const terminal = start(`read go; ${count(16_000)}; echo over`);
    const page = new FakePage(terminal, { acknowledgesAtOnce: false });
    page.type('\n');
    await page.until(() => page.bytes > MIN_WINDOW);
    // The program has far more output; not much more than the window may have been read.
    expect(page.bytes).toBeLessThan(MIN_WINDOW + 256 * 1024);
    page.acknowledgesAtOnce = true;
    page.draw(page.bytes);
    await page.ended();
    expect(firstDifference(page.text, `\r\n${counted(16_000)}over\r\n`)).toBeUndefined();
    expect(page.screens).toBe(1);
  });

  test('W11 shows the last output of a program even after a long pause by the page', async () => {
    const terminal = start(`read go; ${count(6_000)}; echo last`);
    const page = new FakePage(terminal, { acknowledgesAtOnce: false });
    page.type('\n');
    await page.until(() => page.bytes > MIN_WINDOW);
    // The rest is in the kernel; rendered in small steps, each too small to resume the program.
    const step = () => {
      page.draw(1024);
      if (page.lastInfo?.state.type !== 'exited') setImmediate(step);
    };
    step();
    await page.ended();
    expect(firstDifference(page.text, `\r\n${counted(6_000)}last\r\n`)).toBeUndefined();
  });

  test('W11 a suspended page does not stop the program and gets the screen when it wakes', async () => {
    const sign = join(mkdtempSync(join(tmpdir(), 'tugdeck-terminal-')), 'over');
    const terminal = start(`read go; ${count(12_000)}; echo over; : > ${sign}; read end`, 300);
    const sleeper = new FakePage(terminal, { acknowledgesAtOnce: false, withHistory: true });
    sleeper.type('\n');
    await expect.poll(() => existsSync(sign)).toBe(true);
    expect(sleeper.text).not.toContain('over');
    sleeper.acknowledgesAtOnce = true;
    sleeper.draw(sleeper.bytes);
    await sleeper.until(() => sleeper.screens === 2);
    // The program has finished writing; the last output may still be in flight and comes after the screen.
    await expect.poll(() => sleeper.drawn()).toContain('12000\r\nover');
    sleeper.type('\n');
    await sleeper.ended();
    rmSync(dirname(sign), { recursive: true });
  });

  test('S3 a slow page does not slow one that keeps up', async () => {
    const terminal = start(`read go; ${count(25_000)}; echo over; read end`);
    const slow = new FakePage(terminal, { acknowledgesAtOnce: false });
    const quick = new FakePage(terminal);
    quick.type('\n');
    await quick.shows('over');
    expect(firstDifference(quick.text, `\r\n${counted(25_000)}over\r\n`)).toBeUndefined();
    expect(slow.bytes).toBeLessThan(quick.bytes);
    slow.acknowledgesAtOnce = true;
    slow.draw(slow.bytes);
    await slow.until(() => slow.screens === 2);
    await expect.poll(() => slow.drawn()).toContain('over');
  });

  test('W11 Ctrl+C ends a flood even if the page is full', async () => {
    const terminal = openTerminal('/bin/bash', ['--norc', '--noprofile']);
    open.push(terminal);
    const page = new FakePage(terminal);
    await page.shows('$ ');
    page.type('yes\r');
    await page.shows('y\r\ny\r\n');
    page.type('\u0003');
    await page.shows('^C');
    page.type('echo st""ill here\r');
    await page.shows('still here');
  });

  test('W10 a later page sees the same screen, including output during its creation', async () => {
    const terminal = start('seq 1 500; printf "\\033[5;10HHERE\\033[?25l"; read go; echo after; read end');
    const first = new FakePage(terminal, { withHistory: true });
    await first.shows('HERE');
    const late = new FakePage(terminal, { withHistory: true });
    late.type('\n');
    await late.shows('after');
    await first.shows('after');
    expect(await late.drawn()).toBe(await first.drawn());
  });

  test('W10 a page that requests its screen twice misses no output in between', async () => {
    const terminal = start('printf "\\033[?1000hold"; exit 3');
    const page = new FakePage(terminal);
    await page.ended();
    const { screens } = page;
    page.askAgain();
    // Resets the screen at once, so that a shell can start on it.
    terminal.restart({ file: '/bin/sh', args: ['-c', 'read x'], directory: '/tmp', environment: {} });
    page.askAgain();
    await page.until(() => page.screens > screens);
    expect(await page.drawn()).toContain('old');
    expect(await page.drawn()).not.toContain('\u001b[?1000h');
  });

  test('W1 a resize reaches the program and every page, in order', async () => {
    const terminal = start('trap "stty size" WINCH; echo up; while :; do sleep 0.05; done');
    const page = new FakePage(terminal);
    await page.shows('up');
    terminal.resize({ cols: 101, rows: 31 });
    await page.shows('31 101');
    expect(page.messages).toContainEqual({ type: 'size', size: { cols: 101, rows: 31 } });
    expect(page.size).toEqual({ cols: 101, rows: 31 });
  });

  test('W15 a query gets one answer with any number of pages', async () => {
    const script = 'stty raw -echo; echo up; printf "\\033[6n"; dd bs=1 count=6 2>/dev/null | od -An -c';
    const terminal = start(
      `read go; ${script}; printf "\\033[c"; dd bs=1 count=1 2>/dev/null | od -An -c; sleep 9`,
    );
    const [one] = [new FakePage(terminal), new FakePage(terminal)];
    one.type('\n');
    await one.shows(/033\s+\[\s+\d/);
    await one.shows(/033\s*\n?$/m);
  });

  test('W15 publishes a title without unprintable characters', async () => {
    const page = new FakePage(start('read go; printf "\\033]2;my\\001 title\\007"; read end'));
    page.type('\n');
    await page.until(() => page.lastInfo?.title !== undefined);
    expect(page.lastInfo?.title).toBe('my title');
  });

  test('X2 publishes a few of a thousand titles, including the last', async () => {
    const many = 'seq -f "$(printf "\\033]2;title %%.0f\\007")" 1 1000; read end';
    const page = new FakePage(start(`read go; ${many}`));
    page.type('\n');
    await page.until(() => page.lastInfo?.title === 'title 1000');
    expect(page.messages.filter(({ type }) => type === 'terminal').length).toBeLessThan(500);
  });

  test('X2 limits unread query answers', async () => {
    const asks = 'stty raw -echo; yes "$(printf "\\033[c\\033[6n")" | head -c 400000; echo over; sleep 60';
    const terminal = start(`read go; ${asks}`);
    const page = new FakePage(terminal);
    page.type('\n');
    await page.shows('over');
    await page.drawn();
    expect(terminal.waitingInput).toBeLessThanOrEqual(16 * 1024);
  });

  test('W1 restarts an exited program on its screen', async () => {
    const terminal = start('printf "\\033[?1049h\\033[?1000hfull"; exit 3');
    const page = new FakePage(terminal);
    await page.ended();
    expect(page.lastInfo?.state).toEqual({ type: 'exited', code: 3 });
    terminal.restart({
      file: '/bin/sh',
      args: ['-c', 'echo again; read x'],
      directory: '/tmp',
      environment: {},
    });
    await page.shows('again');
    expect(page.lastInfo?.state).toEqual({ type: 'running' });
    expect(await page.drawn()).not.toContain('\u001b[?1000h');
  });

  test.each([
    ['the main screen', 'seq 1 5; exit 3'],
    ['the alternate screen', 'seq 1 5; printf "\\033[?1049h\\033[2;2Hfull"; exit 3'],
  ])('W1 a restart on %s continues below the existing output', async (_, script) => {
    const terminal = start(script);
    const page = new FakePage(terminal);
    await page.ended();
    terminal.restart({
      file: '/bin/sh',
      args: ['-c', 'echo again; read x'],
      directory: '/tmp',
      environment: {},
    });
    await page.shows('again');
    expect(await page.drawn()).toMatch(/^1\r\n2\r\n3\r\n4\r\n5\r\n(\r\n)?again/);
  });

  test('W1 closing hangs up, then kills processes that ignore it', async () => {
    const terminal = start('trap "" HUP TERM; echo up; while :; do sleep 0.05; done');
    const page = new FakePage(terminal);
    await page.shows('up');
    const pid = terminal.info.pid ?? 0;
    terminal.close();
    await expect.poll(() => isAlive(pid)).toBe(false);
  });

  test('X2 limits unread input', async () => {
    const terminal = start('stty raw -echo; echo up; sleep 60');
    const page = new FakePage(terminal);
    await page.shows('up');
    const piece = new Uint8Array(256 * 1024).fill(97);
    const taken = Array.from({ length: 40 }, () => terminal.input(piece)).filter(Boolean).length;
    expect(taken).toBeGreaterThan(10);
    expect(taken).toBeLessThan(20);
  });
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
