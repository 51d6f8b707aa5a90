/** One kill of a session host or its agent: brings the session to a moment, kills, lets the model continue, and gathers the evidence. */
import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { ConversationChannel } from '@tugdeck/client/conversation-channel';
import { WATCHDOG } from '@tugdeck/host/watchdog';
import { readPage, readTail } from '@tugdeck/journal/reader';
import { dataDirectory } from '@tugdeck/local/data-directory';
import { MARK } from '@tugdeck/local/process-ending';
import type { Entry } from '@tugdeck/protocol/conversation/entries';
import { entriesFrom } from '@tugdeck/protocol/conversation/entry-store';
import { entryById, pendingRequests } from '@tugdeck/protocol/conversation/state';
import {
  childrenOf,
  commandOf,
  findByEnvironment,
  freeze,
  isAlive,
  kill9,
  thaw,
  waitFor,
} from '@tugdeck/testkit/process-facts';
import type { Page } from 'playwright-core';
import { type Deck, entries } from '../deck.ts';
import type { Random } from '../fuzz/random.ts';
import { wholeConversation } from '../whole-conversation.ts';
import { type DrawnRow, judgeKill, type KillEvidence } from './kill-judge.ts';
import {
  CHECK,
  firstText,
  holdOf,
  type KilledAgent,
  keywordOf,
  type Moment,
  parentHoldOf,
  RAN,
  restText,
} from './kill-scripts.ts';
import { contextFromClaude, contextFromCodex } from './model-context.ts';
import { promptName } from './prompts.ts';

export interface KillScene {
  readonly deck: Deck;
  readonly agent: KilledAgent;
  readonly random: Random;
  /** Share of kills that also kill the watchdog. */
  readonly unwatched: number;
  /** Without a watchdog the agent has saved the rest of its answer before the next host ends it. */
  readonly finishes: boolean;
  /** Kills when the page shows the moment, and lets the model continue when the agent has ended. */
  readonly isSteady: boolean;
  readonly session: string;
  readonly channel: ConversationChannel;
  readonly victim: 'host' | 'agent';
  /** A browser that shows the session. */
  readonly browser?: Page | undefined;
}

export interface Seen {
  readonly problems: readonly string[];
  /** Entries completed or added from the agent's file. */
  readonly recovered: number;
  /** From sending the prompt to its moment. */
  readonly reachedMs: number;
  /** From the kill until the agent's processes were gone, with a living watchdog. */
  readonly endedMs?: number;
}

/** Delays around a kill, at most: after its moment, between the model and the kill. */
const JITTER_MS = 80;
const APART_MS = 20;
/** How long the server is frozen without a watchdog, so that no other host ends the agent at once. */
const FROZEN_MS = 1_500;
const PATIENCE = { timeoutMs: 120_000 };
/** The modes in which this agent asks for every command, or for none. */
const CODEX_MODES = { asks: 'read-only', free: 'agent-full-access' } as const;

export async function killOnce(scene: KillScene, moment: Moment, number: number): Promise<Seen> {
  const { agent, random, session, channel } = scene;
  const name = promptName(session, number);
  if (agent !== 'claude') {
    const value = moment === 'permission' ? CODEX_MODES.asks : CODEX_MODES.free;
    await channel.send({ kind: 'session.configure', option: 'mode', value, confirmed: true });
  }
  const prompt = randomUUID();
  const sentAt = performance.now();
  await channel.send({ kind: 'prompt.send', id: prompt, text: `SCN:${keywordOf(moment)} ${name}` });
  await reached(scene, moment, name, prompt);
  if (scene.isSteady) await waitFor(() => isShownAt(scene, moment, name), { what: `${moment} on the page` });
  const reachedMs = performance.now() - sentAt;
  await delay(random() * JITTER_MS);
  const { left, endedMs } = await (scene.victim === 'host' ? killHost(scene, name) : killAgent(scene, name));
  await rested(channel, prompt);
  const evidence = await evidenceOf(scene, name);
  return {
    problems: judgeKill({ ...evidence, left }),
    recovered: recoveredIn(evidence.entries, prompt),
    reachedMs,
    ...(endedMs === undefined ? {} : { endedMs }),
  };
}

async function killHost(
  { deck, random, unwatched, finishes, isSteady, session }: KillScene,
  name: string,
): Promise<{ left: string[]; endedMs?: number }> {
  const host = deck.records('host').find((record) => record.session === session);
  if (host?.mark === undefined) throw new Error('no host to kill');
  const { pid } = host.identity;
  const children = childrenOf(pid);
  const remains = () => [...findByEnvironment(`${MARK}=${host.mark}`), ...children.filter(isAlive)];
  // Every stream of this prompt passes from then on, before or after the kill.
  const releaseModel = () => openHolds(deck, name);
  const isEarly = random() < 0.5 && !finishes && !isSteady;
  const isUnwatched = random() < unwatched;
  if (isEarly) releaseModel();
  await delay(random() * APART_MS);
  if (isUnwatched) {
    freeze(pid);
    for (const child of children) if (commandOf(child).includes(WATCHDOG)) kill9(child);
    freeze(deck.serverPid);
  }
  // While its host is only frozen: some agents end as soon as nobody reads them.
  if (isUnwatched && finishes) {
    releaseModel();
    await waitFor(() => isWritten(deck, restText(name)), {
      what: 'the rest of the answer in a file of the agent',
      intervalMs: 100,
      ...PATIENCE,
    });
  }
  kill9(pid);
  const killedAt = performance.now();
  try {
    await delay(isEarly ? 0 : random() * APART_MS);
    if (!isSteady) releaseModel();
    if (isUnwatched) await delay(random() * FROZEN_MS);
  } finally {
    if (isUnwatched) thaw(deck.serverPid);
  }
  const gone = waitFor(() => remains().length === 0, {
    what: 'the agent to end',
    intervalMs: 2,
    ...PATIENCE,
  });
  await gone.catch(() => undefined);
  releaseModel();
  const left = remains().map((stray) => commandOf(stray).replaceAll('\0', ' ').slice(0, 300));
  return isUnwatched ? { left } : { left, endedMs: performance.now() - killedAt };
}

async function killAgent(
  { deck, session }: KillScene,
  name: string,
): Promise<{ left: string[]; endedMs: number }> {
  const agent = deck.records('agent').find((record) => record.session === session);
  if (!agent) throw new Error('no agent to kill');
  const { pid } = agent.identity;
  const all = [pid, ...childrenOf(pid)];
  kill9(pid);
  const killedAt = performance.now();
  openHolds(deck, name);
  const gone = waitFor(() => !all.some(isAlive), { what: 'everything of the agent to end' });
  await gone.catch(() => undefined);
  const left = all.filter(isAlive).map((stray) => commandOf(stray).replaceAll('\0', ' ').slice(0, 300));
  return { left, endedMs: performance.now() - killedAt };
}

function openHolds({ fake }: Deck, name: string): void {
  fake.open(holdOf(name));
  fake.open(parentHoldOf(name));
}

/** Sends one more prompt: its model request shows what the model knows. */
async function evidenceOf(scene: KillScene, name: string): Promise<Omit<KillEvidence, 'left'>> {
  const { deck, agent, session, channel } = scene;
  const check = randomUUID();
  await channel.send({ kind: 'prompt.send', id: check, text: `SCN:${CHECK} ${name}` });
  await rested(channel, check);
  const call = deck.fake.requests.findLast(
    ({ keyword, kind, body }) =>
      kind === 'answer' && keyword === CHECK && JSON.stringify(body).includes(`SCN:${CHECK} ${name}`),
  );
  const directory = dataDirectory(deck.sandbox.data).session(session);
  const disk = readTail(directory);
  if (!call || !disk) throw new Error('nobody asked the model, or nothing is on disk');
  const { entries: written } = readPage(directory, disk.nextSeq, disk.nextSeq);
  const exported = await deck.run('sessions', 'export', session);
  await waitFor(() => channel.view.get().conversation.v >= disk.v, { what: 'the page to follow' });
  await waitFor(
    async () => {
      if (channel.view.get().hasOlder) await channel.loadOlder();
      return !channel.view.get().hasOlder;
    },
    { what: 'the page to show everything' },
  );
  // The answer belongs to the last question.
  const isBefore = (entry: Entry) => entry.kind !== 'text' || entry.text !== `Checked ${name}.`;
  return {
    entries: written.filter(isBefore),
    page: [...entriesFrom(channel.view.get().conversation.entries)].filter(isBefore),
    ...(scene.browser ? { drawn: await drawnRows(scene.browser, name) } : {}),
    exported: exported.stdout,
    context: agent === 'claude' ? contextFromClaude(call.body) : contextFromCodex(call.body),
    ran: ranIn(deck).filter((line) => line.includes(name)),
  };
}

/** The browser's rows from the first, once it shows the answer to the last prompt. */
async function drawnRows(page: Page, name: string): Promise<DrawnRow[]> {
  await entries(page, 'text', 'complete')
    .filter({ hasText: `Checked ${name}.` })
    .waitFor();
  const { rows } = await wholeConversation(page);
  return page.evaluate(
    (drawn) =>
      drawn.map(({ id, html }) => {
        const row = new DOMParser().parseFromString(html, 'text/html');
        return { id, text: row.body.textContent ?? '' };
      }),
    rows,
  );
}

/** As the notice of the next host counts them. */
function recoveredIn(entries: readonly Entry[], prompt: string): number {
  const turn = entries.find(({ id }) => id === prompt)?.turn;
  const notice = entries.find(
    (entry) => entry.kind === 'notice' && entry.notice === 'crash' && entry.turn === turn,
  );
  if (notice?.kind !== 'notice') return 0;
  return [...notice.text.matchAll(/(\d+) (?:entry|entries)/g)].reduce(
    (sum, [, some]) => sum + Number(some),
    0,
  );
}

/** Whether any session file of an agent has these words. */
function isWritten({ sandbox: { home } }: Deck, words: string): boolean {
  return readdirSync(home, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.jsonl'))
    .some((name) => readFileSync(join(home, name), 'utf8').includes(words));
}

function ranIn(deck: Deck): string[] {
  const file = join(deck.sandbox.project, RAN);
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
}

async function reached(
  { deck, channel }: KillScene,
  moment: Moment,
  name: string,
  prompt: string,
): Promise<void> {
  switch (moment) {
    case 'text':
    case 'tool input':
    case 'subagent':
      return deck.fake.reached(holdOf(name), PATIENCE);
    case 'command':
      await waitFor(() => ranIn(deck).includes(`${name}-a`), { what: 'the command to run', ...PATIENCE });
      return;
    case 'permission':
      await waitFor(() => pendingRequests(channel.view.get().conversation).length > 0, {
        what: 'a pending permission',
        ...PATIENCE,
      });
      return;
    case 'between turns':
      return rested(channel, prompt);
  }
}

/** Whether the page shows what the agent does at this moment. */
function isShownAt({ channel }: KillScene, moment: Moment, name: string): boolean {
  const all = [...entriesFrom(channel.view.get().conversation.entries)];
  if (moment !== 'command')
    return all.some((entry) => JSON.stringify(entry).includes(firstText(name).trim()));
  return all.some((entry) => entry.kind === 'tool' && JSON.stringify(entry.input ?? '').includes(name));
}

async function rested(channel: ConversationChannel, prompt: string): Promise<void> {
  await waitFor(
    async () => {
      const { conversation } = channel.view.get();
      const entry = entryById(conversation, prompt);
      if (conversation.agent.state === 'failed')
        await channel.send({ kind: 'agent.restart' }).catch(() => undefined);
      if (entry?.kind !== 'user' || conversation.turn !== null) return false;
      return entry.delivery === 'delivered' || entry.delivery === 'doubted';
    },
    { what: `prompt ${prompt} to finish`, ...PATIENCE },
  );
}
