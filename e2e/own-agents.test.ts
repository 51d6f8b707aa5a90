/**
 * Custom agents, each from one line of the configuration, through server and browser: one written only from the public
 * documentation, one that uses every request of the protocol, one that does not start.
 */
import { fileURLToPath } from 'node:url';
import { closeBrowser, screenshot } from '@tugdeck/testkit/browser';
import { pressAnswer } from '@tugdeck/testkit/press-answer';
import { kill9, waitFor } from '@tugdeck/testkit/process-facts';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Deck, entries, newSession, openDeck, rested, send } from './deck.ts';

const inDrivers = (name: string): string =>
  fileURLToPath(new URL(`../packages/drivers/test/${name}`, import.meta.url));

const answer = (result: object): object => ({ send: { id: '$id', result } });
const update = (body: object): object => ({
  send: { method: 'session/update', params: { sessionId: 's1', update: body } },
});
const says = (text: string): object =>
  update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } });
const options = (careful: boolean): object[] => [
  {
    id: 'depth',
    name: 'Depth',
    type: 'select',
    currentValue: 'low',
    options: [
      { value: 'low', name: 'Shallow' },
      { value: 'high', name: 'Deep' },
    ],
  },
  { id: 'careful', name: 'Careful', type: 'boolean', currentValue: careful },
];
const asks = (id: number, params: object): object => ({
  send: { id, method: 'elicitation/create', params: { sessionId: 's1', ...params } },
});

/** Requires a sign-in, has the older model switch and both kinds of options, accepts steering, sends forms. */
const demanding = {
  initialize: [
    answer({
      protocolVersion: 1,
      agentCapabilities: {},
      authMethods: [
        { id: 'web', name: 'By browser', description: 'Opens a page of the provider' },
        { id: 'key', name: 'By key' },
        { id: 'term', name: 'In a terminal', type: 'terminal', description: 'Run the login command' },
      ],
      _meta: { steering: { supported: true } },
    }),
  ],
  'session/new': [{ send: { id: '$id', error: { code: -32000, message: 'Authentication required' } } }],
  authenticate: [
    {
      become: {
        'session/new': [
          answer({
            sessionId: 's1',
            configOptions: options(false),
            models: {
              currentModelId: 'a',
              availableModels: [
                { modelId: 'a', name: 'Model A' },
                { modelId: 'b', name: 'Model B' },
              ],
            },
          }),
        ],
      },
    },
    answer({}),
  ],
  'session/set_model': [answer({})],
  'session/set_config_option': [answer({ configOptions: options(true) })],
  '_session/steering': [answer({ outcome: 'injected' }), says('Steered. ')],
  'session/prompt': [
    says('I need a few words. '),
    asks(0, {
      mode: 'form',
      message: 'Choose the audience',
      requestedSchema: {
        type: 'object',
        properties: {
          name: { type: 'string', title: 'Name', minLength: 2 },
          count: { type: 'integer', title: 'Copies', minimum: 1, default: 1 },
          loud: { type: 'boolean', title: 'In capitals' },
        },
        required: ['name'],
      },
    }),
    { wait: 0 },
    asks(1, {
      mode: 'url',
      message: 'Look at this page.',
      url: 'https://example.com/look',
      elicitationId: 'e',
    }),
    { wait: 1 },
    says('Thank you.'),
    answer({ stopReason: 'end_turn' }),
  ],
};

const old = (sessionUpdate: string, text: string): object => ({
  send: {
    method: 'session/update',
    params: { sessionId: 'old', update: { sessionUpdate, content: { type: 'text', text } } },
  },
});

/** Keeps its own sessions, which only it can list. It answers a prompt before its last text. */
const keeper = {
  initialize: [
    answer({
      protocolVersion: 1,
      agentCapabilities: { loadSession: true, sessionCapabilities: { list: {} } },
    }),
  ],
  'session/list': [answer({ sessions: [{ sessionId: 'old', title: 'An older talk' }] })],
  'session/load': [
    old('user_message_chunk', 'The old question'),
    old('agent_message_chunk', 'The old answer'),
    answer({}),
  ],
  'session/prompt': [
    old('agent_message_chunk', 'Going on'),
    answer({ stopReason: 'end_turn' }),
    old('agent_message_chunk', ' to the last word.'),
  ],
};

let deck: Deck;
let page: Page;

beforeAll(async () => {
  deck = await openDeck({
    withoutAgent: true,
    timings: { startRetryMs: [50, 60_000] },
    config: {
      agent: 'third',
      agents: {
        third: { command: process.execPath, args: [inDrivers('acp-third-party.mjs')] },
        demanding: {
          label: 'Demanding',
          command: process.execPath,
          args: [inDrivers('acp-puppet.mjs')],
          env: { PUPPET: JSON.stringify(demanding) },
        },
        keeper: {
          label: 'Keeper',
          command: process.execPath,
          args: [inDrivers('acp-puppet.mjs')],
          env: { PUPPET: JSON.stringify(keeper) },
        },
        broken: {
          label: 'Broken',
          command: process.execPath,
          args: ['-e', "console.error('no key found'); process.exit(3)"],
        },
      },
    },
  });
  ({ page } = await deck.page());
});
afterAll(async () => {
  await deck?.close();
  await closeBrowser();
});

/** A new session whose agent starts because something is typed. */
async function begin(agent: string): Promise<void> {
  await newSession(page, agent);
  await page.getByRole('textbox', { name: 'Message' }).fill('x');
  await page.getByRole('textbox', { name: 'Message' }).fill('');
}

test('A23 an unknown agent works from one line, and H9 reports a new session after its host was killed', async () => {
  await send(page, 'change it');
  const request = page.getByRole('group', { name: /^Permission: / });
  await pressAnswer(request.getByRole('button', { name: 'Allow', exact: true }));
  await entries(page, 'text', 'complete').getByText('Done.').first().waitFor();
  await rested(page);
  await expect.poll(() => entries(page, 'tool', 'complete').count()).toBe(1);
  await send(page, 'wait forever');
  await entries(page, 'text').getByText("I'll analyze").nth(1).waitFor();
  await page.getByRole('button', { name: 'Stop', exact: true }).click();
  await rested(page);
  const host = await deck.pidOf('host');
  kill9(host);
  await waitFor(() => deck.records('host').every(({ identity }) => identity.pid !== host), {
    what: 'the ledger to forget the host',
  });
  await send(page, 'go on');
  const divider = entries(page, 'notice').filter({ hasText: 'know the conversation above' });
  await divider.waitFor();
  await rested(page);
  await divider.getByRole('button', { name: 'Attach the transcript' }).click();
  await page.getByText('conversation-so-far.md').first().waitFor();
  await expect
    .poll(() => page.getByRole('textbox', { name: 'Message' }).inputValue())
    .toContain('lost the context of our conversation');
  await screenshot(page, 'own-agent-afresh');
  await page.getByRole('textbox', { name: 'Message' }).press('Enter');
  await entries(page, 'user').getByText('conversation-so-far.md').waitFor();
  await rested(page);
});

test('A14 A20 A25 sign-in, options of each kind, steering and forms work', async () => {
  await begin('Demanding');
  const signIn = page.getByRole('form', { name: 'Sign in' });
  await signIn.getByText('In a terminal').waitFor();
  await expect.poll(() => signIn.getByRole('radio').count()).toBe(2);
  await screenshot(page, 'own-agent-sign-in');
  await signIn.getByRole('radio', { name: 'By browser' }).check();
  await pressAnswer(signIn.getByRole('button', { name: 'Accept' }));
  await entries(page, 'notice').getByText('Signed in.').waitFor();
  await page.getByRole('button', { name: 'Model: Model A' }).click();
  await page.getByRole('menuitemradio', { name: /Model B/ }).click();
  // A14: new sessions start with the current settings if the user chooses so.
  await page.getByRole('button', { name: 'Model: Model B' }).click();
  await page.getByRole('menuitem', { name: 'Make Model B the default for new sessions' }).click();
  await page
    .getByRole('status')
    .filter({ hasText: 'New sessions in this project will use Model B' })
    .waitFor();
  await page.getByRole('button', { name: 'More settings' }).click();
  await page
    .getByRole('menuitemradio', { name: /Careful/ })
    .first()
    .click();
  await page.getByRole('button', { name: 'More settings' }).click();
  await page
    .locator('.menu-item[aria-checked="true"]', { hasText: /Careful/ })
    .first()
    .waitFor();
  await page.keyboard.press('Escape');
  await send(page, 'begin');
  const form = page.getByRole('form', { name: 'Choose the audience' });
  await form.waitFor();
  const box = page.getByRole('textbox', { name: 'Message' });
  await box.fill('and hurry');
  await page.getByRole('button', { name: 'Steer', exact: true }).click();
  await entries(page, 'text').getByText('Steered.').waitFor();
  await pressAnswer(form.getByRole('button', { name: 'Accept' }));
  await form.getByText('Required').waitFor();
  await form.getByRole('textbox', { name: 'Name' }).fill('Ada');
  await form.getByRole('checkbox', { name: 'In capitals' }).check();
  await screenshot(page, 'own-agent-form');
  await pressAnswer(form.getByRole('button', { name: 'Accept' }));
  const look = page.getByRole('form', { name: 'Open https://example.com/look' });
  await expect.poll(() => look.getByRole('link').getAttribute('href')).toBe('https://example.com/look');
  await pressAnswer(look.getByRole('button', { name: 'Accept' }));
  await entries(page, 'text', 'complete').getByText('Thank you.').waitFor();
  await rested(page);
});

test('A40 A21 a session that only its agent lists is read and continued; text after the end of a turn is kept', async () => {
  await begin('Keeper');
  const listed = page.getByRole('navigation', { name: 'Projects' }).getByText('An older talk');
  await listed.click();
  await entries(page, 'notice').getByText('Only the agent has this conversation.').waitFor();
  await send(page, 'Go on');
  await entries(page, 'user').getByText('The old question').waitFor();
  await entries(page, 'text', 'complete').getByText('The old answer').waitFor();
  await entries(page, 'user').getByText('Go on').waitFor();
  await entries(page, 'text', 'complete').getByText('to the last word.').waitFor();
  await rested(page);
  const words = await entries(page, 'text').allInnerTexts();
  expect(words.join(' ').match(/Going on/g)).toHaveLength(1);
  expect(words.join(' ').match(/The old answer/g)).toHaveLength(1);
});

test('A24 H11 A6 an agent that does not start shows why and when it is retried, in the card and where agents are chosen', async () => {
  await begin('Broken');
  // By role: the closed menus of agents, which are not shown, have the reason too.
  const banner = page
    .getByRole('status')
    .filter({ hasText: /Broken could not be started \(exit 3\): no key found/ })
    .filter({ hasText: /Retrying in \d+s/ });
  await banner.waitFor();
  await page
    .getByRole('img', { name: /^Agent: reconnecting/ })
    .first()
    .waitFor();
  await screenshot(page, 'own-agent-broken');
  await page.getByRole('button', { name: 'Reconnect' }).click();
  await page.getByText(/Retrying in \d+s/).waitFor();
  await page.getByRole('button', { name: 'Agent: Broken' }).click();
  await page
    .getByRole('menuitemradio', { name: /Broken could not be started \(exit 3\): no key found/ })
    .waitFor();
  await screenshot(page, 'own-agent-choice');
  await page.keyboard.press('Escape');

  // H11: an unsent message continues with another agent when the user chooses so.
  await page.getByRole('textbox', { name: 'Message' }).fill('Not sent yet');
  await page.getByRole('textbox', { name: 'Message' }).press('Enter');
  await entries(page, 'user').getByText('Not sent yet').waitFor();
  const failed = page.url();
  await page.getByRole('button', { name: 'Switch agent' }).click();
  await page.getByRole('menuitem', { name: /^Demo/ }).click();
  await page.waitForURL((url) => url.href !== failed);
  const box = page.getByRole('textbox', { name: 'Message' });
  await expect.poll(() => box.inputValue()).toBe('Not sent yet');

  // A6: Continue opens the newest session.
  await box.press('Enter');
  await entries(page, 'text', 'complete').first().waitFor();
  const newest = page.url();
  await page.goto(failed);
  await newSession(page, 'Demo');
  await page.getByRole('button', { name: 'Continue latest session' }).click();
  await page.waitForURL(newest);
});
