/** Gathers the judge's evidence from independent sources: disk, pages, the witness, the model, search. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readPage, readTail } from '@tugdeck/journal/reader';
import { dataDirectory } from '@tugdeck/local/data-directory';
import { search } from '@tugdeck/protocol/areas/search';
import { entriesFrom } from '@tugdeck/protocol/conversation/entry-store';
import { waitFor } from '@tugdeck/testkit/process-facts';
import type { Deck } from '../deck.ts';
import { type HeadlessPage, headlessPage } from './client.ts';
import { type Evidence, judge } from './judge.ts';
import { NAME, RAN } from './prompts.ts';
import type { User } from './user.ts';

export interface Scene {
  /** The deck that the pages are connected to. */
  readonly deck: Deck;
  /** The deck that runs the sessions, if they are on another machine. */
  readonly home?: Deck;
  readonly users: readonly User[];
  readonly pages: readonly HeadlessPage[];
  /** File in which the witness in front of each agent records the prompt names it receives. */
  readonly received?: string;
}

/** How many of each session's last prompts are searched for. */
const LOOKED_UP = 3;
/** Waits until cut pages are connected again and the index is up to date. */
const PATIENCE_MS = 120_000;

/** Problems that persist. */
export async function judgeAll(
  scene: Scene,
  log: (words: string) => void = () => undefined,
): Promise<string[]> {
  const problems: string[] = [];
  for (const user of scene.users) {
    let last: string[] = ['was never judged'];
    await waitFor(
      async () => {
        const fresh = await headlessPage(scene.deck);
        try {
          last = judge(await evidenceOf(user, scene, fresh));
        } finally {
          fresh.close();
        }
        return last.length === 0;
      },
      { what: 'agreement', timeoutMs: PATIENCE_MS, intervalMs: 500 },
    ).catch((error: unknown) => {
      if (last.length === 0 || last[0] === 'was never judged') last = [String(error)];
    });
    log(`judged ${user.cast} ${user.session.slice(0, 8)}: ${last.join('; ').slice(0, 1_000) || 'agreement'}`);
    problems.push(...last.map((words) => `${user.cast} ${user.session.slice(0, 8)}: ${words}`));
  }
  return problems;
}

async function evidenceOf(user: User, scene: Scene, fresh: HeadlessPage): Promise<Evidence> {
  const { pages, received, home = scene.deck } = scene;
  const { session, cast, sent, answered } = user;
  const directory = dataDirectory(home.sandbox.data).session(session);
  const disk = readTail(directory);
  if (!disk) throw new Error('nothing is on disk');
  const { entries } = readPage(directory, disk.nextSeq, disk.nextSeq);
  const channel = fresh.client.conversation(session);
  await waitFor(() => channel.view.get().phase === 'ready' && channel.view.get().conversation.v >= disk.v, {
    what: 'a fresh page to load',
  });
  await waitFor(
    async () => {
      // The view updates once per frame, later than the page of entries: read it again.
      if (channel.view.get().hasOlder) await channel.loadOlder();
      return !channel.view.get().hasOlder;
    },
    { what: 'a fresh page to show everything' },
  );
  const shown = [...entriesFrom(channel.view.get().conversation.entries)];
  channel.release();
  const names = sent.slice(-LOOKED_UP).map(({ name }) => name);
  return {
    cast,
    sent,
    answered,
    disk,
    entries,
    views: pages.map((page, at) => viewOf(page, session, `page ${at + 1}`)),
    fresh: shown,
    row: fresh.client.deck.get()?.sessions.find(({ id }) => id === session),
    ...(received === undefined ? {} : { received: countNames(received) }),
    ...(cast === 'claude' ? { asked: askedOf(home, disk.facts.agentSession) } : {}),
    ran: countNames(join(home.sandbox.project, RAN)),
    indexed: await searched(fresh, session, names),
  };
}

function viewOf({ client }: HeadlessPage, session: string, name: string): Evidence['views'][number] {
  const channel = client.conversation(session);
  const { conversation } = channel.view.get();
  channel.release();
  return { name, conversation };
}

function countNames(file: string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  for (const [name] of text.matchAll(new RegExp(NAME, 'g'))) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

/** How often each prompt is in the last model request of the agent's session. */
function askedOf(deck: Deck, agentSession: string | undefined): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  const last = deck.fake.requests.findLast(
    ({ kind, sessionId, agentId }) =>
      kind === 'answer' && sessionId === agentSession && agentId === undefined,
  );
  const { messages } = (last?.body ?? {}) as { messages?: readonly { role: string; content: unknown }[] };
  for (const { role, content } of messages ?? []) {
    // Tool inputs and results name the prompt too.
    const parts = Array.isArray(content) ? content.filter(({ type }) => type === 'text') : content;
    if (role !== 'user') continue;
    for (const [, name = ''] of JSON.stringify(parts).matchAll(/SCN:[\w-]+ (n[0-9a-f]{8}x\d+)\b/g))
      counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return counts;
}

const SPOKEN = ['prompt', 'answer'] as const;

async function searched(
  { client }: HeadlessPage,
  session: string,
  names: readonly string[],
): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const area = client.openArea(search, {});
  const found = new Map<string, ReadonlySet<string>>();
  try {
    for (const name of names) {
      // One kind at a time, because a search returns only the first few matches of a session.
      const answers = await Promise.all(SPOKEN.map((kind) => area.call('search', { query: name, kind })));
      const mine = answers.flatMap(({ hits }) => hits).filter((hit) => hit.session === session);
      found.set(name, new Set(mine.flatMap(({ entry }) => (entry === undefined ? [] : [entry]))));
    }
  } finally {
    area.close();
  }
  return found;
}
