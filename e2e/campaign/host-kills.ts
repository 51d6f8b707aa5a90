/**
 * Kills session hosts while a real agent works, at chosen moments with random delays, and asks after each: does the
 * model know exactly what page, journal and export show (H12)? One deck and one agent per run; a session has several kills.
 */
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { ConversationChannel } from '@tugdeck/client/conversation-channel';
import { readPage, readTail } from '@tugdeck/journal/reader';
import { dataDirectory } from '@tugdeck/local/data-directory';
import { MARK } from '@tugdeck/local/process-ending';
import { entriesFrom } from '@tugdeck/protocol/conversation/entry-store';
import { entryById, pendingRequests } from '@tugdeck/protocol/conversation/state';
import { childrenOf, findByEnvironment, freeze, isAlive, kill9, thaw, waitFor } from '@tugdeck/testkit/process-facts';
import { type Deck, openDeck } from '../deck.ts';
import { type Random, seeded } from '../fuzz/random.ts';
import { type HeadlessPage, headlessPage } from './client.ts';
import { judgeKill } from './kill-judge.ts';
import { CHECK, holdOf, keywordOf, type KilledAgent, killScripts, type Moment, momentsOf, NOTE_FILES, NOTE_RULE, RAN } from './kill-scripts.ts';
import { toldByClaude, toldByCodex } from './kill-told.ts';
import { promptName } from './prompts.ts';
import { begin } from './soak.ts';

export interface HostKillsOptions {
  readonly agent: KilledAgent;
  readonly seed: number;
  readonly kills: number;
  readonly moments?: readonly Moment[];
  readonly tell?: (words: string) => void;
}

export interface HostKillsOutcome {
  readonly agent: KilledAgent;
  readonly kills: Readonly<Partial<Record<Moment, number>>>;
  readonly problems: readonly string[];
  readonly orphans: number;
  /** From the kill until nothing of the agent ran, in ms, sorted. */
  readonly endedMs: readonly number[];
  /** Entries that were brought in or completed from the agent's file. */
  readonly recovered: number;
}

const TIMINGS = { restartMs: 20, restartWindowMs: 1, startTimeoutMs: 60_000, hostStartMs: 60_000 };
/** Kills of one session: every one is judged over all that was said in it. */
const PER_SESSION = 8;
/** Delay after a moment was reached, at most. */
const JITTER_MS = 80;
/** Share of kills that take the watchdog along. */
const UNWATCHED = Number(process.env.UNWATCHED ?? 0.3);
const PATIENCE = { timeoutMs: 120_000 };
/** The modes in which this agent asks for every command, or for none. */
const CODEX_MODES = { asks: 'read-only', free: 'agent-full-access' } as const;

export async function hostKills(options: HostKillsOptions): Promise<HostKillsOutcome> {
  const { agent, kills, seed, tell = () => undefined } = options;
  const random = seeded(seed);
  const deck = await openDeck({
    timings: TIMINGS,
    files: NOTE_FILES,
    ...(agent === 'codex' ? { agent } : {}),
    async prepare({ home }) {
      await mkdir(join(home, '.claude'), { recursive: true });
      const settings = { permissions: { allow: [NOTE_RULE] } };
      await writeFile(join(home, '.claude', 'settings.json'), JSON.stringify(settings));
      return async () => undefined;
    },
  });
  try {
    for (const [keyword, script] of Object.entries(killScripts(agent))) deck.fake.script(keyword, script);
    const page = await headlessPage(deck);
    const counts: Partial<Record<Moment, number>> = {};
    const problems: string[] = [];
    const endedMs: number[] = [];
    let recovered = 0;
    let scene: Scene | undefined;
    for (let number = 0; number < kills; number++) {
      if (!scene || number % PER_SESSION === 0) scene = await openScene(deck, page, agent, random);
      const moments = options.moments ?? momentsOf(agent);
      const moment = moments[number % moments.length] ?? 'text';
      const seen = await killOnce(scene, moment, number).catch((error: unknown) => ({
        problems: [String(error)],
        endedMs: Number.NaN,
        recovered: 0,
      }));
      counts[moment] = (counts[moment] ?? 0) + 1;
      recovered += seen.recovered;
      if (Number.isFinite(seen.endedMs)) endedMs.push(seen.endedMs);
      for (const words of seen.problems) {
        problems.push(`${agent} ${moment} ${number}: ${words}`);
        tell(`VIOLATED ${problems.at(-1)}`);
      }
      // What went wrong once would be found again by every later look at the session.
      if (seen.problems.length > 0) scene = undefined;
      if ((number + 1) % 10 === 0) tell(`${agent}: ${number + 1} kills, ${problems.length} problems`);
    }
    page.close();
    const stopped = await deck.run('stop', '--all');
    if (stopped.code !== 0) problems.push(`stop --all: ${stopped.stderr}`);
    const orphans = deck.sandbox.strays().length;
    return { agent, kills: counts, problems, orphans, endedMs: endedMs.sort((a, b) => a - b), recovered };
  } finally {
    await deck.close();
  }
}

interface Scene {
  readonly deck: Deck;
  readonly agent: KilledAgent;
  readonly random: Random;
  readonly session: string;
  readonly channel: ConversationChannel;
}

async function openScene(
  deck: Deck,
  page: HeadlessPage,
  agent: KilledAgent,
  random: Random,
): Promise<Scene> {
  const session = await begin(page, agent);
  return { deck, agent, random, session, channel: page.client.conversation(session) };
}

interface Seen {
  readonly problems: readonly string[];
  readonly endedMs: number;
  readonly recovered: number;
}

async function killOnce(scene: Scene, moment: Moment, number: number): Promise<Seen> {
  const { deck, agent, random, session, channel } = scene;
  const name = promptName(session, number);
  if (agent === 'codex') {
    const value = moment === 'permission' ? CODEX_MODES.asks : CODEX_MODES.free;
    await channel.send({ kind: 'session.configure', option: 'mode', value, confirmed: true });
  }
  const prompt = randomUUID();
  await channel.send({ kind: 'prompt.send', id: prompt, text: `SCN:${keywordOf(moment)} ${name}` });
  await reached(scene, moment, name, prompt);
  await delay(random() * JITTER_MS);
  const host = deck.records('host').find((record) => record.session === session);
  const mark = host?.mark;
  if (!host || mark === undefined) throw new Error('no host to kill');
  const watched = childrenOf(host.identity.pid);
  // Before or after: the model may go on while the host dies.
  const early = random() < 0.5;
  const go = () => letGo(deck, name);
  if (early) go();
  await delay(random() * 5);
  if (random() < UNWATCHED) {
    // As if both were killed at once: the agent goes on until the next host ends it.
    freeze(host.identity.pid);
    for (const pid of watched) if (commandOf(pid).includes('tugdeck-watchdog')) kill9(pid);
    freeze(deck.serverPid);
    void delay(500 + random() * 1_000).then(() => thaw(deck.serverPid));
  }
  kill9(host.identity.pid);
  const killedAt = performance.now();
  if (!early) void delay(random() * 20).then(go);
  const remains = () => [...findByEnvironment(`${MARK}=${mark}`), ...watched.filter(isAlive)];
  await waitFor(() => remains().length === 0, { what: 'the agent to end with its host', intervalMs: 2 }).catch(
    () => undefined,
  );
  const endedMs = performance.now() - killedAt;
  const left = remains().map(commandOf);
  await rested(channel, prompt);
  const check = randomUUID();
  await channel.send({ kind: 'prompt.send', id: check, text: `SCN:${CHECK} ${name}` });
  await rested(channel, check);
  const call = deck.fake.requests.findLast(
    ({ keyword, kind, body }) => kind === 'answer' && keyword === CHECK && JSON.stringify(body).includes(name),
  );
  const directory = dataDirectory(deck.sandbox.data).session(session);
  const disk = readTail(directory);
  if (!call || !disk) throw new Error('nobody asked the model, or nothing is on disk');
  const { entries } = readPage(directory, disk.nextSeq, disk.nextSeq);
  const exported = await deck.run('sessions', 'export', session);
  // The answer to the last question came after it was asked.
  const before = entries.filter((entry) => entry.kind !== 'text' || entry.text !== `Checked ${name}.`);
  await waitFor(() => channel.view.get().conversation.v >= disk.v, { what: 'the page to follow' });
  await waitFor(
    async () => {
      if (channel.view.get().hasOlder) await channel.loadOlder();
      return !channel.view.get().hasOlder;
    },
    { what: 'the page to show everything' },
  );
  const last = entries.at(-1);
  const page = [...entriesFrom(channel.view.get().conversation.entries)].filter(
    ({ id }) => id !== last?.id || before.includes(last),
  );
  const file = join(deck.sandbox.project, RAN);
  const ran = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
  const problems = judgeKill({
    entries: before,
    page,
    exported: exported.stdout,
    told: agent === 'claude' ? toldByClaude(call.body) : toldByCodex(call.body),
    ran: ran.filter((line) => line.includes(name)),
    left,
  });
  if (process.env.DUMP) {
    const sub = agent === 'claude' ? '.claude/projects' : '.codex/sessions';
    (await import('node:fs')).cpSync(join(deck.sandbox.home, sub), `/tmp/hk-files-${agent}`, { recursive: true });
  }
  if (problems.length > 0 && process.env.DUMP) {
    console.log(JSON.stringify(before, null, 1));
    console.log(JSON.stringify(agent === 'claude' ? toldByClaude(call.body) : toldByCodex(call.body), null, 1));
  }
  const notices = entries.flatMap((entry) => (entry.kind === 'notice' && entry.notice === 'crash' ? [entry.text] : []));
  if (process.env.DUMP) console.log(moment, early, notices.at(-1), Math.round(endedMs));
  return { problems, endedMs, recovered: 0 };
}

async function reached({ deck, channel }: Scene, moment: Moment, name: string, prompt: string): Promise<void> {
  switch (moment) {
    case 'text':
    case 'tool input':
    case 'subagent':
      return deck.fake.reached(holdOf(name), PATIENCE);
    case 'command':
      await waitFor(() => existsSync(join(deck.sandbox.project, RAN)) && readFileSync(join(deck.sandbox.project, RAN), 'utf8').includes(`${name}-a`), {
        what: 'the command to run',
        ...PATIENCE,
      });
      return;
    case 'permission':
      await waitFor(() => pendingRequests(channel.view.get().conversation).length > 0, {
        what: 'a permission to be asked for',
        ...PATIENCE,
      });
      return;
    case 'between turns':
      return rested(channel, prompt);
  }
}

/** Every stream of this prompt passes from now on. */
function letGo(deck: Deck, name: string): void {
  deck.fake.open(holdOf(name));
}

async function rested(channel: ConversationChannel, prompt: string): Promise<void> {
  await waitFor(
    async () => {
      const { conversation } = channel.view.get();
      const entry = entryById(conversation, prompt);
      if (conversation.agent.state === 'failed') await channel.send({ kind: 'agent.restart' }).catch(() => undefined);
      if (entry?.kind !== 'user' || conversation.turn !== null) return false;
      return entry.delivery === 'delivered' || entry.delivery === 'doubted';
    },
    { what: `prompt ${prompt} to come to rest`, ...PATIENCE },
  );
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1').replaceAll('\0', ' ').slice(0, 300);
  } catch {
    return String(pid);
  }
}
