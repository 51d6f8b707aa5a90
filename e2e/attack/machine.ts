/** Attacks by a machine that the user added, which now lies: about what it owns, in its files, and on the link itself. */
import { randomUUID } from 'node:crypto';
import { performServerHandshake } from 'node:http2';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { serveLink } from '@tugdeck/link/serve-link';
import type { AreaOutput, DeckPush } from '@tugdeck/machine/port';
import type { Deck as DeckState } from '@tugdeck/protocol/wire/deck';
import { FakeMachine, quietLog } from '@tugdeck/testkit/fake-machine';
import { waitFor } from '@tugdeck/testkit/process-facts';
import { type Attack, alive, unless, withVisitor } from './attack.ts';
import { fetchFrom } from './preview.ts';
import type { World } from './world.ts';

const CARRIER =
  'const s=require("node:net").connect(process.argv[1]);process.stdin.pipe(s);s.pipe(process.stdout);s.on("close",()=>process.exit()).on("error",()=>process.exit());process.stdin.on("end",()=>process.exit())';
export const EVIL = 'evil-project';

/** The deck as a new page gets it. */
export const deckNow = (world: World): Promise<DeckState> =>
  withVisitor(world, async (visitor) => (await visitor.welcome()).deck);

const evilProject = { id: EVIL, path: '/evil', name: 'Evil', addedAt: 1, machine: 'trusted' };

export class EvilMachine extends FakeMachine {
  readonly #whole: Partial<DeckState>;

  constructor(whole: Partial<DeckState>) {
    super();
    this.#whole = whole;
  }

  override openDeck(send: (push: DeckPush) => void) {
    const deck = { projects: [evilProject], agents: [], defaultAgent: '', sessions: [], ...this.#whole };
    return super.openDeck((push) => send(push.type === 'whole' ? { type: 'whole', deck } : push));
  }
}

/** Adds a machine whose connections `answer` serves, while `use` runs. */
async function withMachine<T>(
  world: World,
  answer: (socket: Socket) => void,
  use: () => Promise<T>,
): Promise<T> {
  const path = join(world.deck.sandbox.runtime, `evil-${randomUUID().slice(0, 8)}`);
  const listener = createServer((socket) => {
    socket.on('error', () => undefined);
    answer(socket);
  });
  await new Promise<void>((resolve) => listener.listen(path, resolve));
  const command = `${process.execPath} -e '${CARRIER}' -- ${path}`;
  try {
    await world.deck.run('machine', 'add', 'evil', '--command', command);
    return await use();
  } finally {
    await world.deck.run('machine', 'remove', 'evil');
    await waitFor(async () => !(await deckNow(world)).machines, { what: 'the machine to be removed' });
    listener.close();
  }
}

const serving = (machine: FakeMachine) => (socket: Socket) =>
  void serveLink(socket, socket, { machine, build: 'evil', environment: {}, log: quietLog });

const listed = (world: World) =>
  waitFor(
    async () => {
      const { projects, machines } = await deckNow(world);
      return machines?.[0]?.state === 'online' && projects.some(({ id }) => id === EVIL);
    },
    { what: 'the project of the machine' },
  );

const stateIs = (world: World, text: string) =>
  waitFor(async () => (await deckNow(world)).machines?.[0]?.fault?.includes(text), { what: text });

export const MACHINE: readonly Attack[] = [
  {
    who: 'machine',
    name: 'claims a project of this machine, under its name',
    async run(world) {
      const before = await deckNow(world);
      const [own] = before.projects;
      if (!own) return ['no project'];
      const machine = new EvilMachine({
        projects: [
          { ...own, path: '/evil', name: 'Evil' },
          { ...evilProject, machine: own.machine },
        ],
      });
      return withMachine(world, serving(machine), async () => {
        await listed(world);
        const { projects } = await deckNow(world);
        const found = projects.filter(({ id }) => id === own.id);
        const evil = projects.find(({ id }) => id === EVIL);
        return [
          ...unless(found.length === 1 && found[0]?.path === own.path, 'the project is the machine’s'),
          ...unless(evil?.machine === 'evil', `it calls itself ${evil?.machine}`),
          ...unless(machine.opened.length === 0, `it was used for ${machine.opened.join()}`),
        ];
      });
    },
  },
  {
    who: 'machine',
    name: 'claims to be this machine',
    async run(world) {
      const { projects } = await deckNow(world);
      const machine = new EvilMachine({});
      Object.assign(machine, { id: projects[0]?.machine });
      return withMachine(world, serving(machine), async () => {
        await stateIs(world, 'same machine as this one');
        return alive(world);
      });
    },
  },
  {
    who: 'machine',
    name: 'sends a hostile page as a file, to run in the deck’s origin',
    async run(world) {
      const machine = new EvilMachine({});
      machine.files.openRaw = async () => ({
        size: 25,
        content: Readable.from([Buffer.from('<script>alert(1)</script>')]),
      });
      return withMachine(world, serving(machine), async () => {
        await listed(world);
        const problems: string[] = [];
        for (const path of ['page.html', 'pic.svg']) {
          const { status, headers, body } = await world.own(`/api/file/raw?project=${EVIL}&path=${path}`);
          problems.push(
            ...unless(status === 200, `${path}: ${status} ${body}`),
            ...unless(
              String(headers['content-security-policy']).startsWith('sandbox'),
              `${path}: no sandbox`,
            ),
            ...unless(headers['x-content-type-options'] === 'nosniff', `${path}: sniffed`),
          );
          for (const name of ['set-cookie', 'location', 'clear-site-data', 'service-worker-allowed'])
            problems.push(...unless(headers[name] === undefined, `${path}: ${name}`));
        }
        return problems;
      });
    },
  },
  {
    who: 'machine',
    name: 'answers with redirects, cookies and invalid streams, or with an endless greeting',
    async run(world) {
      const flood = (socket: Socket) => {
        const more = () => {
          while (socket.writable && socket.write(Buffer.alloc(64 * 1024, 'x')));
        };
        socket.on('drain', more);
        more();
      };
      const rude = (socket: Socket) => {
        const about = { newest: 1, oldest: 1, machine: randomUUID(), build: 'evil' };
        socket.write(`\0tugdeck-link\0${JSON.stringify(about)}\n`);
        socket.once('data', () => {
          const session = performServerHandshake(socket);
          session.on('error', () => undefined);
          session.on('stream', (stream) => {
            stream.on('error', () => undefined);
            stream.respond({ ':status': 302, location: 'https://evil.example', 'set-cookie': 'a=b' });
            stream.end(Buffer.from([0xff, 0xff, 0xff, 0xff, 0, 1, 2, 3]));
          });
        });
      };
      const problems = await withMachine(world, flood, async () => {
        await stateIs(world, 'more than 64 KB of other text');
        return alive(world);
      });
      const offline = async () => (await deckNow(world)).machines?.[0]?.state === 'offline';
      return withMachine(world, rude, async () => {
        await waitFor(offline, { what: 'the machine to be refused' });
        return [...problems, ...(await alive(world))];
      });
    },
  },
  {
    who: 'machine',
    name: 'shows its web server as the deck’s, in a preview',
    async run(world) {
      const machine = new EvilMachine({});
      let seen = '';
      const open = machine.openArea.bind(machine);
      machine.openArea = (name: string, about: unknown, out: AreaOutput) => {
        const area = open(name, about, { push: () => undefined, bytes: () => undefined });
        if (name === 'preview') {
          out.push({ state: { isOffered: true, hasBrowser: false } });
          return { ...area, call: async () => ({ type: 'own' }) };
        }
        const bytes = (data: Uint8Array) => {
          seen += Buffer.from(data).toString();
          const answer =
            'HTTP/1.1 200 OK\r\nset-cookie: tugdeck-preview=stolen; Domain=localhost\r\nservice-worker-allowed: /\r\ncontent-length: 4\r\n\r\nevil';
          out.bytes(Buffer.from(answer));
        };
        return { ...area, bytes, call: async () => ({}) };
      };
      return withMachine(world, serving(machine), async () => {
        await listed(world);
        return withVisitor(world, async (visitor) => {
          await visitor.openFeed(42, 'preview', { project: EVIL });
          const ask = { type: 'open', address: `http://localhost:${world.deck.port}/api/me` };
          const opened = (await visitor.reply('preview', 42, ask)) as { url: string };
          const { host, pathname, port } = new URL(opened.url);
          const signedIn = await fetchFrom(Number(port), pathname, { host });
          const cookie = String(signedIn.headers['set-cookie']).split(';')[0] ?? '';
          const { headers, body } = await fetchFrom(Number(port), '/api/me', { host, cookie });
          const cookies = String(headers['set-cookie'] ?? '');
          return [
            ...unless(body === 'evil', `the deck answered: ${body}`),
            ...unless(!seen.includes(cookie), 'it got the sign-in of the frame'),
            ...unless(!/domain=|tugdeck-preview/i.test(cookies), `it set ${cookies}`),
            ...(await alive(world)),
          ];
        });
      });
    },
  },
];
