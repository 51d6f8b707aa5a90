/** Real programs in real PTYs: nothing lost, nothing held up by one who does not look. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { WINDOW_LEAST } from '../src/page-window.ts';
import type { Terminal } from '../src/terminal.ts';
import { Looker, openTerminal } from './looker.ts';

const open: Terminal[] = [];
const start = (script: string) => {
  const terminal = openTerminal('/bin/sh', ['-c', script]);
  open.push(terminal);
  return terminal;
};
afterEach(() => {
  for (const terminal of open.splice(0)) terminal.close();
});

/** Where two texts part, or nothing: a diff of megabytes helps nobody. */
function parting(text: string, expected: string): string | undefined {
  if (text === expected) return undefined;
  let at = 0;
  while (text[at] === expected[at]) at++;
  return `at ${at} of ${text.length}/${expected.length}: ${JSON.stringify(text.slice(at, at + 40))}`;
}

/** Long lines: a screen takes them up faster than short ones, and the tests with it. */
const count = (most: number) => `seq -f %078.0f 1 ${most}`;
/** As that writes them into a terminal. */
const counted = (most: number) =>
  Array.from({ length: most }, (_, index) => `${String(index + 1).padStart(78, '0')}\r\n`).join('');

describe('W1 one terminal', () => {
  test('W1 a page gets every byte of a program, once and in order', async () => {
    const looker = new Looker(start(`read go; ${count(8_000)}`));
    looker.type('\n');
    await looker.ended();
    expect(parting(looker.text, `\r\n${counted(8_000)}`)).toBeUndefined();
    expect(looker.screens).toBe(1);
    expect(looker.lastInfo?.state).toEqual({ type: 'exited', code: 0 });
  });

  test('W1 a page that draws nothing holds the program up within a bound, and loses nothing', async () => {
    const terminal = start(`read go; ${count(16_000)}; echo over`);
    const looker = new Looker(terminal, { drawsAtOnce: false });
    looker.type('\n');
    await looker.until(() => looker.bytes > WINDOW_LEAST);
    // The program has far more to say; not much more than the bound may have been read from it.
    expect(looker.bytes).toBeLessThan(WINDOW_LEAST + 256 * 1024);
    looker.drawsAtOnce = true;
    looker.draw(looker.bytes);
    await looker.ended();
    expect(parting(looker.text, `\r\n${counted(16_000)}over\r\n`)).toBeUndefined();
    expect(looker.screens).toBe(1);
  });

  test('W1 what a program wrote before its end is shown though the page paused it for long', async () => {
    const terminal = start(`read go; ${count(6_000)}; echo last`);
    const looker = new Looker(terminal, { drawsAtOnce: false });
    looker.type('\n');
    await looker.until(() => looker.bytes > WINDOW_LEAST);
    // Whatever is left is in the kernel; drawn in small steps, each below what lets the program go on at once.
    const step = () => {
      looker.draw(1024);
      if (looker.lastInfo?.state.type !== 'exited') setImmediate(step);
    };
    step();
    await looker.ended();
    expect(parting(looker.text, `\r\n${counted(6_000)}last\r\n`)).toBeUndefined();
  });

  test('W1 a page that sleeps lets the program go on, and has the screen when it wakes', async () => {
    const sign = join(mkdtempSync(join(tmpdir(), 'tugdeck-terminal-')), 'over');
    const terminal = start(`read go; ${count(12_000)}; echo over; : > ${sign}; read end`);
    const sleeper = new Looker(terminal, { drawsAtOnce: false, withHistory: true });
    sleeper.type('\n');
    await expect.poll(() => existsSync(sign)).toBe(true);
    expect(sleeper.text).not.toContain('over');
    sleeper.drawsAtOnce = true;
    sleeper.draw(sleeper.bytes);
    await sleeper.until(() => sleeper.screens === 2);
    // The program is done with writing; the last of it may still be on its way, and comes after the screen.
    await expect.poll(() => sleeper.drawn()).toContain('12000\r\nover');
    sleeper.type('\n');
    await sleeper.ended();
    rmSync(dirname(sign), { recursive: true });
  });

  test('S3 a slow page does not slow one that keeps up', async () => {
    const terminal = start(`read go; ${count(25_000)}; echo over; read end`);
    const slow = new Looker(terminal, { drawsAtOnce: false });
    const quick = new Looker(terminal);
    quick.type('\n');
    await quick.shows('over');
    expect(parting(quick.text, `\r\n${counted(25_000)}over\r\n`)).toBeUndefined();
    expect(slow.bytes).toBeLessThan(quick.bytes);
    slow.drawsAtOnce = true;
    slow.draw(slow.bytes);
    await slow.until(() => slow.screens === 2);
    await expect.poll(() => slow.drawn()).toContain('over');
  });

  test('W1 Ctrl+C ends a flood though the page is full', async () => {
    const terminal = openTerminal('/bin/bash', ['--norc', '--noprofile']);
    open.push(terminal);
    const looker = new Looker(terminal);
    await looker.shows('$ ');
    looker.type('yes\r');
    await looker.shows('y\r\ny\r\n');
    looker.type('\u0003');
    await looker.shows('^C');
    looker.type('echo st""ill here\r');
    await looker.shows('still here');
  });

  test('W1 who comes later sees the same screen, with what came while it was made', async () => {
    const terminal = start('seq 1 500; printf "\\033[5;10HHERE\\033[?25l"; read go; echo after; read end');
    const first = new Looker(terminal, { withHistory: true });
    await first.shows('HERE');
    const late = new Looker(terminal, { withHistory: true });
    late.type('\n');
    await late.shows('after');
    await first.shows('after');
    expect(await late.drawn()).toBe(await first.drawn());
  });

  test('W1 a page that asks twice for its screen misses nothing that came between', async () => {
    const terminal = start('printf "\\033[?1000hold"; exit 3');
    const looker = new Looker(terminal);
    await looker.ended();
    const { screens } = looker;
    looker.askAgain();
    // Puts the screen back to where a shell can begin, at once.
    terminal.restart({ file: '/bin/sh', args: ['-c', 'read x'], directory: '/tmp', environment: {} });
    looker.askAgain();
    await looker.until(() => looker.screens > screens);
    expect(await looker.drawn()).toContain('old');
    expect(await looker.drawn()).not.toContain('\u001b[?1000h');
  });

  test('W1 a new size reaches the program and every page, in its place', async () => {
    const terminal = start('trap "stty size" WINCH; echo up; while :; do sleep 0.05; done');
    const looker = new Looker(terminal);
    await looker.shows('up');
    terminal.resize({ cols: 101, rows: 31 });
    await looker.shows('31 101');
    expect(looker.messages).toContainEqual({ type: 'size', size: { cols: 101, rows: 31 } });
    expect(looker.size).toEqual({ cols: 101, rows: 31 });
  });

  test('W1 a program asks its terminal and gets one answer, however many look', async () => {
    const script = 'stty raw -echo; echo up; printf "\\033[6n"; dd bs=1 count=6 2>/dev/null | od -An -c';
    const terminal = start(
      `read go; ${script}; printf "\\033[c"; dd bs=1 count=1 2>/dev/null | od -An -c; sleep 9`,
    );
    const [one] = [new Looker(terminal), new Looker(terminal)];
    one.type('\n');
    await one.shows(/033\s+\[\s+\d/);
    await one.shows(/033\s*\n?$/m);
  });

  test('W1 a title is told without what could not be printed', async () => {
    const looker = new Looker(start('read go; printf "\\033]2;my\\001 title\\007"; read end'));
    looker.type('\n');
    await looker.until(() => looker.lastInfo?.title !== undefined);
    expect(looker.lastInfo?.title).toBe('my title');
  });

  test('X2 a thousand titles are a few words to a page, and the last one is told', async () => {
    const many = 'seq -f "$(printf "\\033]2;title %%.0f\\007")" 1 1000; read end';
    const looker = new Looker(start(`read go; ${many}`));
    looker.type('\n');
    await looker.until(() => looker.lastInfo?.title === 'title 1000');
    expect(looker.messages.filter(({ type }) => type === 'terminal').length).toBeLessThan(500);
  });

  test('X2 answers that a program does not read are kept within a bound', async () => {
    const asks = 'stty raw -echo; yes "$(printf "\\033[c\\033[6n")" | head -c 400000; echo over; sleep 60';
    const terminal = start(`read go; ${asks}`);
    const looker = new Looker(terminal);
    looker.type('\n');
    await looker.shows('over');
    await looker.drawn();
    expect(terminal.waitingInput).toBeLessThanOrEqual(16 * 1024);
  });

  test('W1 one that has ended is started anew on its screen', async () => {
    const terminal = start('printf "\\033[?1049h\\033[?1000hfull"; exit 3');
    const looker = new Looker(terminal);
    await looker.ended();
    expect(looker.lastInfo?.state).toEqual({ type: 'exited', code: 3 });
    terminal.restart({
      file: '/bin/sh',
      args: ['-c', 'echo again; read x'],
      directory: '/tmp',
      environment: {},
    });
    await looker.shows('again');
    expect(looker.lastInfo?.state).toEqual({ type: 'running' });
    expect(await looker.drawn()).not.toContain('\u001b[?1000h');
  });

  test.each([
    ['the main screen', 'seq 1 5; exit 3'],
    ['the other screen', 'seq 1 5; printf "\\033[?1049h\\033[2;2Hfull"; exit 3'],
  ])('W1 what is started anew on %s comes below what is there', async (_, script) => {
    const terminal = start(script);
    const looker = new Looker(terminal);
    await looker.ended();
    terminal.restart({
      file: '/bin/sh',
      args: ['-c', 'echo again; read x'],
      directory: '/tmp',
      environment: {},
    });
    await looker.shows('again');
    expect(await looker.drawn()).toMatch(/^1\r\n2\r\n3\r\n4\r\n5\r\n(\r\n)?again/);
  });

  test('W1 closing hangs up, and kills what does not heed that', async () => {
    const terminal = start('trap "" HUP TERM; echo up; while :; do sleep 0.05; done');
    const looker = new Looker(terminal);
    await looker.shows('up');
    const pid = terminal.info.pid ?? 0;
    terminal.close();
    await expect.poll(() => isAlive(pid)).toBe(false);
  });

  test('X2 input that no program reads is kept within a bound', async () => {
    const terminal = start('stty raw -echo; echo up; sleep 60');
    const looker = new Looker(terminal);
    await looker.shows('up');
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
