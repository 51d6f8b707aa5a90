/**
 * Model requests after a restore of the conversation (T22–T27), with the real agents: words of earlier messages,
 * none of later ones, and all of them again after an undo. Full tier; `restore-page` has one agent always.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type OtherAgent, whyMissing } from '@tugdeck/testkit/agents';
import { closeBrowser } from '@tugdeck/testkit/browser';
import { pressAnswer } from '@tugdeck/testkit/press-answer';
import { waitFor } from '@tugdeck/testkit/process-facts';
import { hold, text } from '@tugdeck/testkit/script';
import { isFullTier } from '@tugdeck/testkit/tiers';
import { Visit } from '@tugdeck/testkit/visit';
import { afterAll, describe, expect, test } from 'vitest';
import { type Deck, entries, lastRequest, openDeck, rested, send } from './deck.ts';

const WORDS = ['alpha', 'bravo', 'charlie', 'delta', 'echo'] as const;

/** A session by the command line: no page, so that nothing but the host decides. */
class Session {
  readonly deck: Deck;
  id = '';

  constructor(deck: Deck) {
    this.deck = deck;
    for (const word of WORDS) deck.fake.script(word, [text(`answer-${word}.`)]);
  }

  async run(...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await this.deck.run(...args);
    if (code !== 0) throw new Error(`${args.join(' ')}: ${code} ${stdout}${stderr}`);
    return stdout;
  }

  async send(word: string): Promise<void> {
    const to = this.id === '' ? ['--new', '--dir', this.deck.sandbox.project] : ['--session', this.id];
    const sent = JSON.parse(await this.run('send', ...to, '--wait', '--json', `SCN:${word} say-${word}`));
    this.id = sent.session;
  }

  checkpoints(verb: string, ...rest: string[]): Promise<string> {
    return this.run('checkpoints', verb, this.id, ...rest);
  }

  /** The words of prompts and answers in the last request to the model, in order. */
  get remembered(): string[] {
    const found = lastRequest(this.deck.fake).matchAll(/(?:say|answer)-(\w+)/g);
    return [...new Set([...found].map(([whole]) => whole))];
  }
}

const both = (...words: string[]) => words.flatMap((word) => [`say-${word}`, `answer-${word}`]);

async function forks(deck: Deck): Promise<void> {
  const session = new Session(deck);
  for (const word of ['alpha', 'bravo', 'charlie']) await session.send(word);
  expect(session.remembered).toEqual([...both('alpha', 'bravo'), 'say-charlie']);
  expect(JSON.parse(await session.checkpoints('show', '2', '--json')).memory).toBe('fork');
  await session.checkpoints('restore', '2', '--yes');
  await session.send('delta');
  expect(session.remembered).toEqual([...both('alpha'), 'say-delta']);
  // Undo resumes the former session, which nobody wrote to since.
  await session.checkpoints('undo');
  await session.send('echo');
  expect(session.remembered).toEqual([...both('alpha', 'bravo', 'charlie'), 'say-echo']);
}

describe.runIf(isFullTier)(
  'T24 the model gets exactly the earlier messages after a restore, and all of them after an undo',
  () => {
    const agents: readonly (OtherAgent | 'claude')[] = ['claude', 'codex'];
    for (const agent of agents) {
      test.skipIf(agent !== 'claude' && whyMissing(agent) !== undefined)(agent, async () => {
        const deck = await openDeck(agent === 'claude' ? {} : { agent });
        try {
          await forks(deck);
        } finally {
          await deck.close();
        }
      });
    }
  },
);

describe.runIf(isFullTier)(
  'T16 T24 on the page, files and conversation are restored, the model gets the earlier messages, and undo',
  () => {
    const agents: readonly (OtherAgent | 'claude')[] = ['claude', 'codex'];
    for (const agent of agents) {
      test.skipIf(agent !== 'claude' && whyMissing(agent) !== undefined)(
        agent,
        async () => {
          const deck = await openDeck(agent === 'claude' ? {} : { agent });
          try {
            await onThePage(deck, true);
          } finally {
            await deck.close();
          }
        },
        600_000,
      );
    }
    afterAll(closeBrowser);
  },
);

test.runIf(isFullTier)(
  'T16 T24 on the page, the demo agent remembers exactly the earlier messages after a restore, and undo',
  async () => {
    const deck = await openDeck({ withoutAgent: true });
    try {
      const { page } = await deck.page();
      const made = join(deck.sandbox.project, 'made.md');
      const say = async (words: string) => {
        const before = await entries(page, 'text', 'complete').count();
        await send(page, words);
        if (words.startsWith('edit')) {
          const permission = page.getByRole('group', { name: /^Permission: / });
          await pressAnswer(permission.first().getByRole('button', { name: 'Allow', exact: true }));
        }
        await expect.poll(() => entries(page, 'text', 'complete').count()).toBeGreaterThan(before);
        await rested(page);
      };
      const remembered = async () => {
        await say('recall');
        return (await entries(page, 'text', 'complete').last().locator('li').allTextContents()).map((line) =>
          line.trim(),
        );
      };
      for (const words of ['alpha', 'edit made.md add made', 'charlie']) await say(words);
      const message = entries(page, 'user').filter({ hasText: 'made.md' });
      await message.hover();
      await message.getByRole('button', { name: 'Restore to here' }).click();
      const dialog = page.getByRole('dialog', { name: 'Restore to here' });
      await dialog.getByText('remembers everything before this message and nothing after it.').waitFor();
      await pressAnswer(dialog.getByRole('button', { name: 'Restore', exact: true }));
      const line = page.getByRole('article', { name: 'Restore' });
      await line.getByText('Restored 1 file').waitFor();
      expect(existsSync(made)).toBe(false);
      expect(await remembered()).toEqual(['alpha']);
      await line.getByRole('button', { name: 'Undo' }).click();
      await line.getByText('Restore undone').waitFor();
      expect(existsSync(made)).toBe(true);
      expect(await remembered()).toEqual(['alpha', 'edit made.md add made', 'charlie']);
    } finally {
      await deck.close();
    }
  },
  600_000,
);

describe.runIf(isFullTier)(
  'T25 an agent that can’t fork is handed the earlier messages, and only those',
  () => {
    const agents: readonly OtherAgent[] = ['gemini', 'opencode', 'codex-acp', 'claude-acp'];
    for (const agent of agents) {
      test.skipIf(whyMissing(agent) !== undefined)(
        agent,
        async () => {
          const deck = await openDeck({ agent });
          try {
            await onThePage(deck, false);
          } finally {
            await deck.close();
          }
        },
        600_000,
      );
    }
    afterAll(closeBrowser);
  },
);

/** Restores files and conversation on the page, writes something else, and undoes it. */
async function onThePage(deck: Deck, isForking: boolean): Promise<void> {
  for (const word of WORDS) deck.fake.script(word, [text(`answer-${word}.`)]);
  deck.fake.script('bravo', [text(['Half ', hold('mid'), 'answer-bravo.'])]);
  const made = join(deck.sandbox.project, 'made.md');
  const { page } = await deck.page();
  page.setDefaultTimeout(120_000);
  const answered = async (word: string) => {
    await entries(page, 'text', 'complete')
      .filter({ hasText: `answer-${word}.` })
      .last()
      .waitFor();
    await rested(page);
  };
  const sendPrompt = async (word: string) => {
    await send(page, `SCN:${word} say-${word}`);
    await answered(word);
  };
  await sendPrompt('alpha');
  // Written during the turn, so it is the agent's change, whatever tools it has.
  await send(page, 'SCN:bravo say-bravo');
  await deck.fake.reached('mid');
  writeFileSync(made, 'made by the agent\n');
  deck.fake.release('mid');
  await answered('bravo');
  await sendPrompt('charlie');
  const message = entries(page, 'user').filter({ hasText: 'say-bravo' });
  await message.hover();
  await message.getByRole('button', { name: 'Restore to here' }).click();
  const dialog = page.getByRole('dialog', { name: 'Restore to here' });
  const memory = isForking
    ? 'remembers everything before this message and nothing after it.'
    : 'The conversation so far is attached to your next message.';
  await dialog.getByText(memory).waitFor();
  await pressAnswer(dialog.getByRole('button', { name: 'Restore', exact: true }));
  const line = page.getByRole('article', { name: 'Restore' });
  await line.getByText('Restored 1 file · 4 messages hidden').waitFor();
  expect(existsSync(made)).toBe(false);
  if (!isForking) await page.getByText('conversation-so-far.md').waitFor();
  // The script follows the last marker, which may be one of the transcript: only the request counts.
  await send(page, 'SCN:delta say-delta');
  await expect.poll(() => lastRequest(deck.fake), { timeout: 120_000 }).toContain('say-delta');
  const words = () => [
    ...new Set([...lastRequest(deck.fake).matchAll(/say-(\w+)/g)].map(([, word]) => word)),
  ];
  // A transcript comes after the message.
  expect(words().toSorted()).toEqual(['alpha', 'delta']);
  await entries(page, 'text', 'complete').last().waitFor();
  await rested(page);
  await line.getByRole('button', { name: 'Undo' }).click();
  await line.getByText('Restore undone').waitFor();
  await waitFor(() => existsSync(made), { what: 'the file to return' });
  await entries(page, 'user').filter({ hasText: 'say-charlie' }).waitFor();
  if (!isForking) return;
  await sendPrompt('echo');
  expect(words()).toEqual(['alpha', 'bravo', 'charlie', 'echo']);
}

test.runIf(isFullTier)(
  'T4 files that the user saves in the editor during a turn stay after a restore, also if the agent overwrote them',
  async () => {
    const deck = await openDeck();
    try {
      const session = new Session(deck);
      deck.fake.script('bravo', [text(['Half ', hold('saving'), 'answer-bravo.'])]);
      await session.send('alpha');
      const visit = await Visit.enter(deck.url);
      const { projects } = JSON.parse(await session.run('status', '--json'));
      const save = async (path: string, body: string) => {
        const query = new URLSearchParams({ project: projects[0].id, path });
        const headers = { 'content-type': 'application/vnd.tugdeck.text' };
        const answer = await visit.fetch(`/api/file/text?${query}`, { method: 'PUT', headers, body });
        expect(answer.status).toBe(200);
      };
      const at = (name: string) => join(deck.sandbox.project, name);
      const sending = session.send('bravo');
      await deck.fake.reached('saving');
      await save('mine.txt', 'mine\n');
      await save('lost.txt', 'mine\n');
      writeFileSync(at('lost.txt'), 'agent\n');
      writeFileSync(at('made.txt'), 'agent\n');
      deck.fake.release('saving');
      await sending;
      await session.checkpoints('restore', '2', '--files', '--yes');
      expect(['mine.txt', 'lost.txt'].map((name) => readFileSync(at(name), 'utf8'))).toEqual([
        'mine\n',
        'mine\n',
      ]);
      expect(existsSync(at('made.txt'))).toBe(false);
    } finally {
      await deck.close();
    }
  },
  600_000,
);
