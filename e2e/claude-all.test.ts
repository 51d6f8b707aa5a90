// Every flow of the real agent through server and browser, only the model scripted; after each flow, every running process
// is in the ledger. Long: with TUGDECK_TEST_FULL=1 only. The short version is claude-flows.test.ts.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { closeBrowser } from '@tugdeck/testkit/browser';
import { echoOf, mcpServers } from '@tugdeck/testkit/mcp-server';
import { pressAnswer } from '@tugdeck/testkit/press-answer';
import { kill9, waitFor, waitGone } from '@tugdeck/testkit/process-facts';
import { madeFile } from '@tugdeck/testkit/scenarios';
import {
  answer,
  attempts,
  cut,
  failure,
  hold,
  streamError,
  text,
  thinking,
  toolUse,
} from '@tugdeck/testkit/script';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ClaudeSession } from './claude-session.ts';
import { type Deck, entries, lastRequest, openDeck, rested, send, toAnother } from './deck.ts';

const isFull = process.env.TUGDECK_TEST_FULL === '1';

let deck: Deck;
let session: ClaudeSession;
let page: Page;

const inProject = (name: string): string => session.inProject(name);
const answerWith = (expected: string) => session.answerWith(expected);
const stop = () => session.stop();
const permission = () => session.permission;
const allow = () => session.allow();
const goesOn = () => session.goesOn();

describe.runIf(isFull)('all flows', () => {
  beforeAll(async () => {
    const hook = (command: string) => [{ matcher: 'Bash', hooks: [{ type: 'command', command }] }];
    const veto = `grep -q forbidden.txt && { echo "not this file" >&2; exit 2; }; exit 0`;
    deck = await openDeck({
      files: {
        '.mcp.json': JSON.stringify({ mcpServers }),
        '.claude/settings.json': JSON.stringify({
          enableAllProjectMcpServers: true,
          hooks: { PreToolUse: hook(veto) },
        }),
        '.claude/commands/greet.md': 'SCN:greet $ARGUMENTS',
      },
    });
  });
  afterAll(async () => {
    await deck?.close();
    await closeBrowser();
  });
  beforeEach(async () => {
    session = await ClaudeSession.begin(deck);
    page = session.page;
  });
  afterEach(async () => {
    await session.close();
  });

  test('H8 an interrupt in each phase ends the turn, and the next message works', async () => {
    const { fake } = deck;
    fake.script('thought', [[thinking(['I wonder ', hold('thought'), 'more']), text('never')]]);
    fake.script('json', [[toolUse('Write', { file_path: 'a', content: 'b'.repeat(400) }, { gate: 'json' })]]);
    fake.script('tick', [
      toolUse('Bash', {
        command: 'echo $$ > pid.txt; while true; do echo tick >> ticking; sleep 0.05; done',
        description: 'Tick',
      }),
    ]);
    fake.script('child', [text(['Half ', hold('child'), 'more'])]);
    fake.script('sub', [
      toolUse('Agent', {
        description: 'Look',
        prompt: 'SCN:child go',
        subagent_type: 'general-purpose',
        run_in_background: false,
      }),
    ]);
    fake.release('json');
    const phases: readonly [prompt: string, reached: () => Promise<unknown>][] = [
      ['silent', () => fake.reached('silent')],
      ['hold', () => entries(page, 'text', 'partial').getByText('The first half.').waitFor()],
      ['thought', () => entries(page, 'thinking', 'partial').waitFor()],
      ['json', () => entries(page, 'tool', 'partial').waitFor()],
      ['bash', () => permission().waitFor()],
      [
        'tick',
        async () => {
          await allow();
          await waitFor(() => existsSync(inProject('ticking')), { what: 'the command to run' });
        },
      ],
      ['sub', () => fake.reached('child')],
    ];
    for (const [keyword, reached] of phases) {
      await send(page, `SCN:${keyword}`);
      await reached();
      await stop();
      await rested(page);
      await expect.poll(() => entries(page, 'tool', 'partial').count(), { message: keyword }).toBe(0);
      await expect.poll(() => permission().count(), { message: keyword }).toBe(0);
      await goesOn();
    }
    await waitGone(Number(readFileSync(inProject('pid.txt'), 'utf8')));
    expect(existsSync(inProject(madeFile))).toBe(false);
  });

  test('A8 each error says what happened and what to do, and the session continues', async () => {
    const rows: readonly [keyword: string, step: Parameters<typeof deck.fake.script>[1], expected: RegExp][] =
      [
        ['e400', [failure(400)], /400/],
        [
          'long',
          [failure(400, { message: 'prompt is too long: 250000 tokens > 200000 maximum' })],
          /compact/,
        ],
        ['e403', [failure(403)], /claude auth login/],
        ['e404', [failure(404, { message: 'model: none' })], /another model/],
        ['e429', [failure(429, { retryAfter: 0 })], /Wait a while/],
        ['e500', [failure(500)], /again later/],
        ['e529', [failure(529, { retryAfter: 0 })], /again later/],
        ['sse', [[text('Begun '), streamError()]], /mid-response|again later|cut off/i],
        [
          'cut',
          [attempts([text(['Begun ', cut()])], [text('Whole again.')])],
          /Whole again|connection failed/,
        ],
        ['tokens', [answer(text('Half a sen'), { stopReason: 'max_tokens' })], /smaller steps|token/i],
        ['refusal', [answer(text('I'), { stopReason: 'refusal' })], /refused|safeguards|other words/i],
      ];
    for (const [keyword, step, expected] of rows) {
      deck.fake.script(keyword, step);
      await send(page, `SCN:${keyword}`);
      await page.getByRole('log', { name: 'Conversation' }).getByText(expected).last().waitFor();
      await rested(page);
      await goesOn();
    }
  }, 240_000);

  test('A25 C9 queues a message sent during a turn, or steers the turn with it', async () => {
    const { fake } = deck;
    fake.script('steps', [
      toolUse('Bash', {
        command: 'touch waits.txt; while [ ! -e go.txt ]; do sleep 0.05; done',
        description: 'Wait',
      }),
      text('The steps are done.'),
    ]);
    fake.script('later', [text('Later it is.')]);
    await send(page, 'SCN:steps');
    await allow();
    const box = page.getByRole('textbox', { name: 'Message' });
    await box.fill('Mind the gap');
    await page.getByRole('button', { name: 'Steer', exact: true }).click();
    await send(page, 'SCN:later');
    writeFileSync(inProject('go.txt'), '');
    await answerWith('Later it is.').waitFor();
    await rested(page);
    const bodies = fake.requests.map(({ body }) => JSON.stringify(body));
    expect(bodies.some((body) => body.includes('Mind the gap') && !body.includes('SCN:later'))).toBe(true);
    await expect.poll(() => entries(page, 'user').count()).toBe(3);
  });

  test('A7 a project command, /compact and /clear work', async () => {
    deck.fake.script('greet', [text('Greetings.')]);
    await send(page, '/greet Ada');
    await answerWith('Greetings.').waitFor();
    await rested(page);
    await goesOn();
    await goesOn();
    await send(page, '/compact ');
    await entries(page, 'notice').filter({ hasText: 'The conversation was s' }).waitFor();
    await rested(page);
    await goesOn();
    await send(page, '/clear ');
    await rested(page);
    const before = deck.fake.requests.length;
    await goesOn();
    expect(JSON.stringify(deck.fake.requests.slice(before))).not.toContain('Greetings.');
  });

  test('A3 A9 a project’s MCP server asks for permission and answers; a hook denies a tool', async () => {
    deck.fake.script('echo', [toolUse('mcp__testkit__echo', { text: 'ahoy' }), text('Received it.')]);
    await send(page, 'SCN:echo');
    await allow();
    await answerWith('Received it.').waitFor();
    await rested(page);
    expect(lastRequest(deck.fake)).toContain(echoOf('ahoy'));
    deck.fake.script('forbidden', [
      toolUse('Bash', { command: 'touch forbidden.txt', description: 'Touch' }),
      text('It was forbidden.'),
    ]);
    await send(page, 'SCN:forbidden');
    await answerWith('It was forbidden.').waitFor();
    await rested(page);
    expect(existsSync(inProject('forbidden.txt'))).toBe(false);
    expect(lastRequest(deck.fake)).toContain('not this file');
  });

  test('A12 an image and a PDF are sent with a message', async () => {
    const png = Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      'base64',
    );
    const pdf = Buffer.from('%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n');
    const choosing = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: 'Attach files' }).click();
    await (await choosing).setFiles([
      { name: 'dot.png', mimeType: 'image/png', buffer: png },
      { name: 'page.pdf', mimeType: 'application/pdf', buffer: pdf },
    ]);
    await goesOn();
    const body = lastRequest(deck.fake);
    expect(body).toContain('"type":"image"');
    expect(body).toContain('"type":"document"');
    await entries(page, 'user').getByText('page.pdf').waitFor();
  });

  test('A6 H6 an agent killed with a command running leaves no process and resumes with its context', async () => {
    deck.fake.script('first', [text('Remember the heron.')]);
    deck.fake.script('endless', [
      toolUse('Bash', {
        command: 'echo $$ > killed.txt; while true; do sleep 0.05; done',
        description: 'Never ends',
      }),
    ]);
    await send(page, 'SCN:first');
    await answerWith('Remember the heron.').waitFor();
    await rested(page);
    await send(page, 'SCN:endless');
    await allow();
    const command = await waitFor(() => Number(readFileSync(inProject('killed.txt'), 'utf8')), {
      what: 'the command to run',
    });
    kill9(session.record('agent')?.identity.pid ?? 0);
    await waitGone(command);
    await entries(page, 'notice').filter({ hasText: 'stopped' }).first().waitFor();
    await rested(page);
    await goesOn();
    expect(lastRequest(deck.fake)).toContain('Remember the heron.');
  });

  test('T11 T16 files and conversation are restored to before a message, after a preview, and undone', async () => {
    await send(page, 'SCN:write');
    await allow();
    await answerWith('The file is written.').waitFor();
    await rested(page);
    expect(existsSync(inProject('written-by-agent.md'))).toBe(true);
    const message = entries(page, 'user').first();
    await message.hover();
    await message.getByRole('button', { name: 'Restore to here' }).click();
    const look = page.getByRole('dialog', { name: 'Restore to here' });
    await look.getByText('written-by-agent.md').waitFor();
    await pressAnswer(look.getByRole('button', { name: 'Restore', exact: true }));
    await waitFor(() => !existsSync(inProject('written-by-agent.md')), { what: 'the file to go' });
    await page.getByRole('article', { name: 'Restore' }).getByRole('button', { name: 'Undo' }).click();
    await waitFor(() => existsSync(inProject('written-by-agent.md')), { what: 'the file to return' });
    // A restored conversation has no agent until the next message.
    await goesOn();
    expect(lastRequest(deck.fake)).toContain('SCN:write');
  });

  test('H7 a turn without output is shown as quiet and can be stopped', async () => {
    await send(page, 'SCN:silent');
    await deck.fake.reached('silent');
    const note = page.getByRole('note').filter({ hasText: 'No output for' });
    await note.waitFor({ timeout: 60_000 });
    await note.getByRole('button', { name: 'Stop turn' }).click();
    await rested(page);
    await note.waitFor({ state: 'hidden' });
  }, 90_000);

  test('A6 a fork continues in a copy, whole or up to a message; its parent stays unchanged', async () => {
    const users = entries(page, 'user');
    const box = page.getByRole('textbox', { name: 'Message' });
    deck.fake.script('first', [text('The first answer.')]);
    deck.fake.script('second', [text('The second answer.')]);
    deck.fake.script('third', [text('Said in the copy only.')]);
    await send(page, 'SCN:first of all');
    await entries(page, 'text', 'complete').getByText('The first answer.').waitFor();
    await rested(page);
    await send(page, 'SCN:second thing');
    await entries(page, 'text', 'complete').getByText('The second answer.').waitFor();
    await rested(page);
    const parent = page.url();

    await page.getByRole('button', { name: 'Session actions' }).click();
    await toAnother(page, () => page.getByRole('menuitem', { name: /^Fork/ }).click());
    await entries(page, 'text', 'complete').getByText('The second answer.').waitFor();
    await send(page, 'SCN:third thing');
    await entries(page, 'text', 'complete').getByText('Said in the copy only.').waitFor();
    await rested(page);
    // The model received the whole copied conversation.
    expect(lastRequest(deck.fake)).toContain('The second answer.');
    await page.getByRole('link', { name: 'Forked from SCN:first of all' }).click();
    await page.waitForURL(parent);
    await entries(page, 'text', 'complete').getByText('The second answer.').waitFor();
    await expect.poll(() => users.count()).toBe(2);

    const second = users.nth(1);
    await second.hover();
    await toAnother(page, () => second.getByRole('button', { name: 'Fork from here' }).click());
    await entries(page, 'text', 'complete').getByText('The first answer.').waitFor();
    await expect.poll(() => users.count()).toBe(1);
    await expect.poll(() => box.inputValue()).toBe('SCN:second thing');
    await box.press('Enter');
    await entries(page, 'text', 'complete').getByText('The second answer.').waitFor();
    await rested(page);
    expect(lastRequest(deck.fake).match(/SCN:second/g)).toHaveLength(1);

    const first = users.first();
    await first.hover();
    await first.getByRole('button', { name: 'Fork from here' }).click();
    await expect.poll(() => box.inputValue()).toBe('SCN:first of all');
    await expect.poll(() => users.count()).toBe(0);
  });

  test('X37 shows project configuration before it takes effect; without trust the agent starts without it', async () => {
    const folder = join(deck.sandbox.root, 'brought');
    mkdirSync(join(folder, '.claude'), { recursive: true });
    const hook = { hooks: [{ type: 'command', command: 'touch hook-ran.txt' }] };
    writeFileSync(
      join(folder, '.claude/settings.json'),
      JSON.stringify({ hooks: { UserPromptSubmit: [hook] } }),
    );
    const ran = () => existsSync(join(folder, 'hook-ran.txt'));
    await page.getByRole('button', { name: 'Add project' }).first().click();
    const adding = page.getByRole('dialog', { name: 'Add project' });
    await adding.getByRole('textbox', { name: 'Path' }).fill(folder);
    await adding.getByRole('button', { name: 'Add' }).click();
    await adding.waitFor({ state: 'hidden' });
    // The new project is opened with a session.
    const question = page.getByRole('dialog', { name: 'Trust this project?' });
    await question.getByText('UserPromptSubmit: touch hook-ran.txt').waitFor();
    await pressAnswer(question.getByRole('button', { name: 'Start without it' }));
    await page.getByRole('note').filter({ hasText: 'runs without' }).waitFor();
    await send(page, 'SCN:text');
    await entries(page, 'text', 'complete').waitFor();
    await rested(page);
    expect(ran()).toBe(false);
    await page.getByRole('button', { name: 'Review', exact: true }).click();
    await pressAnswer(question.getByRole('button', { name: 'Trust', exact: true }));
    await page.getByRole('note').filter({ hasText: 'runs without' }).waitFor({ state: 'hidden' });
    await send(page, 'SCN:text');
    await entries(page, 'text', 'complete').nth(1).waitFor();
    await rested(page);
    expect(ran()).toBe(true);
  });
});
