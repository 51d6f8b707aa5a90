/** Terminal logic without a browser: replies, links, clipboard, drops and output for agents. */
import headless from '@xterm/headless';
import type { Terminal } from '@xterm/xterm';
import { describe, expect, test } from 'vitest';
import { sequenceOf, withCtrl } from '../src/features/terminal/extra-keys.ts';
import { LastOutput } from '../src/features/terminal/last-output.ts';
import { droppedPaths, shellQuote } from '../src/features/terminal/shell-quote.ts';
import { suppressReplies } from '../src/features/terminal/suppress-replies.ts';
import { clipboardRequest, isForPage } from '../src/features/terminal/terminal-keys.ts';
import { linkToOpen } from '../src/features/terminal/terminal-links.ts';

const ESC = '\u001b';

/** The terminal library without rendering. */
function open(): Terminal {
  return new headless.Terminal({ cols: 40, rows: 10, allowProposedApi: true }) as unknown as Terminal;
}

function write(terminal: Terminal, text: string): Promise<void> {
  return new Promise((resolve) => terminal.write(text, resolve));
}

describe('W15 terminal queries', () => {
  const QUESTIONS = [
    ...[
      '[c',
      '[0c',
      '[>c',
      '[>0c',
      '[=c',
      '[5n',
      '[6n',
      '[?6n',
      '[?15n',
      '[?996n',
      '[4$p',
      '[?25$p',
      '[>q',
      '[?u',
    ],
    ...['[14t', '[18t', '[20t', '[21t', 'P$qm', 'P$qr', 'P$q q', 'P$q"p', 'P$q;rm -rf', 'P+q544e', 'Z', '[x'],
    ...[']4;1;?', ']10;?', ']11;?', ']12;?', ']52;c;?', ']2;rm -rf', ']50;?'],
  ].map((question) => `${ESC}${question}${'P]'.includes(question[0] ?? '') ? `${ESC}\\` : ''}`);

  async function answers(isSuppressed: boolean): Promise<string> {
    const terminal = open();
    if (isSuppressed) suppressReplies(terminal);
    let replies = '';
    terminal.onData((text) => {
      replies += text;
    });
    terminal.onBinary((text) => {
      replies += text;
    });
    await write(terminal, `${QUESTIONS.join('')}\u0005`);
    return replies;
  }

  test('W15 a page does not reply to queries, neither live nor in restored output', async () => {
    expect(await answers(false)).toContain(`${ESC}[?1;2c`);
    expect(await answers(true)).toBe('');
  });
});

describe('W15 links', () => {
  const key = { ctrlKey: true, metaKey: false };
  test('W15 a click with the modifier opens a web URL', () => {
    expect(linkToOpen(key, 'https://example.org/a?b=c')).toBe('https://example.org/a?b=c');
    expect(linkToOpen({ ctrlKey: false, metaKey: true }, 'HTTP://example.org')).toBe('HTTP://example.org');
    expect(linkToOpen({ ctrlKey: false, metaKey: false }, 'https://example.org')).toBeUndefined();
  });
  test.each([
    'javascript:alert(1)',
    'JaVaScRiPt://example.org/%0aalert(1)',
    ' \u0001javascript:alert(1)',
    'file:///etc/passwd',
    'data:text/html,<script>alert(1)</script>',
    'vbscript:x',
    'mailto:a@example.org',
    '//example.org',
    '/in/token',
    'https:in/token',
    'https://',
    'blob:https://example.org/x',
  ])('W15 nothing else is followed: %s', (address) => {
    expect(linkToOpen(key, address)).toBeUndefined();
  });
});

describe('W15 the clipboard', () => {
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  test('W15 offers the text of a write request; ignores read requests', () => {
    expect(clipboardRequest(`c;${base64('hällo')}`)).toBe('hällo');
    expect(clipboardRequest('c;?')).toBeUndefined();
    expect(clipboardRequest('c;')).toBeUndefined();
  });
  test('X2 does not offer text that is too long or invalid', () => {
    expect(clipboardRequest(`c;${base64('x'.repeat(200_000))}`)).toBeUndefined();
    expect(clipboardRequest('c;%%%')).toBeUndefined();
    expect(clipboardRequest(`c;${Buffer.from([0xff, 0xfe]).toString('base64')}`)).toBeUndefined();
  });
});

describe('W12 a dropped file', () => {
  test('W12 is quoted as one word that cannot run a line', () => {
    expect(shellQuote('/a/b-c.txt')).toBe('/a/b-c.txt');
    expect(shellQuote("it's $(rm) `x` \\")).toBe("'it'\\''s $(rm) `x` \\'");
    expect(shellQuote('-rf')).toBe("'-rf'");
    expect(shellQuote('~/x')).toBe("'~/x'");
    expect(shellQuote('a\nrm -rf /\r')).toBe("'a?rm -rf /?'");
    expect(shellQuote('\u001b[201~\u009b')).toBe("'?[201~?'");
  });
  test('W12 is resolved from our tree, or taken from the browser', () => {
    const drop = (data: Record<string, string>) =>
      droppedPaths({ getData: (type) => data[type] ?? '' }, '/home/me/p');
    expect(drop({ 'application/x-tugdeck-path': 'src/a b.ts' })).toEqual(['/home/me/p/src/a b.ts']);
    expect(
      drop({ 'text/uri-list': '# c\r\nfile:///x/a%20b\r\nhttps://example.org/c\r\nfile:///%E0%A4%A' }),
    ).toEqual(['/x/a b']);
    expect(drop({})).toEqual([]);
  });
});

test('W1 page shortcuts leave a terminal', () => {
  const none = { altKey: false, ctrlKey: false, metaKey: false, shiftKey: false };
  expect(isForPage({ ...none, key: '1', code: 'Digit1', altKey: true })).toBe(true);
  expect(isForPage({ ...none, key: 'K', code: 'KeyK', ctrlKey: true, shiftKey: true })).toBe(true);
  expect(isForPage({ ...none, key: '`', code: 'Backquote', ctrlKey: true })).toBe(true);
  expect(isForPage({ ...none, key: 'c', code: 'KeyC', ctrlKey: true })).toBe(false);
});

describe('W13 the last output, for an agent', () => {
  async function after(text: string): Promise<string> {
    const terminal = Object.assign(open(), { getSelection: () => '' });
    const output = new LastOutput(terminal);
    await write(terminal, text);
    return output.read();
  }
  const marked = (output: string) => `$ make\r\n${ESC}]133;C\u0007${output}${ESC}]133;D;0\u0007$ `;

  test('W13 is that of the last command if the shell marks commands', async () => {
    expect(await after(`${marked('old\r\n')}x\r\n${marked('one\r\ntwo\r\n')}`)).toBe('one\ntwo');
  });
  test('W13 joins a wrapped line', async () => {
    expect(await after(marked(`${'x'.repeat(100)}\r\n`))).toBe('x'.repeat(100));
  });
  test('W13 is the screen without marks', async () => {
    expect(await after('$ ls\r\nfile\r\n$ ')).toBe('$ ls\nfile\n$');
  });
  test('X2 is the end of a long output', async () => {
    const lines = Array.from({ length: 900 }, (_, index) => `line ${index} ${'y'.repeat(30)}`);
    const output = await after(marked(`${lines.join('\r\n')}\r\n`));
    expect(output.length).toBeLessThanOrEqual(32 * 1024 + 1);
    expect(output.endsWith(lines.at(-1) ?? '')).toBe(true);
    expect(output).toMatch(/^…\nline \d+ y/);
  });
});

describe('W16 the key row', () => {
  const plain = { isCtrl: false, isApplication: false };

  test('W16 sends what the keys of a keyboard send', () => {
    expect(['escape', 'tab', 'interrupt'].map((key) => sequenceOf(key as 'escape', plain))).toEqual([
      ESC,
      '\t',
      '\u0003',
    ]);
    expect(sequenceOf('up', plain)).toBe(`${ESC}[A`);
    expect(sequenceOf('left', { ...plain, isApplication: true })).toBe(`${ESC}OD`);
    expect(sequenceOf('right', { isCtrl: true, isApplication: true })).toBe(`${ESC}[1;5C`);
  });

  test('W16 Ctrl makes a control character of the next one, and leaves longer text alone', () => {
    expect(['c', 'C', '[', '@', ' ', '?'].map(withCtrl)).toEqual([
      '\u0003',
      '\u0003',
      ESC,
      '\0',
      '\0',
      '\u007f',
    ]);
    expect(['ls', '1', 'é', '🚢'].map(withCtrl)).toEqual(['ls', '1', 'é', '🚢']);
  });
});
