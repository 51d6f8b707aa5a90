/** Attacks by another user of the machine. */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { connect } from 'node:net';
import { dirname, join } from 'node:path';
import { dataDirectory } from '@tugdeck/local/data-directory';
import { openLedger } from '@tugdeck/local/ledger';
import { identify } from '@tugdeck/local/process-identity';
import { isAlive, waitGone } from '@tugdeck/testkit/process-facts';
import { isFullTier } from '@tugdeck/testkit/tiers';
import { type Attack, unless } from './attack.ts';
import { API_KEY, MALLORY, Playground, type Ran, withoutSecondUser } from './second-user.ts';

/** Reads everything it can below the paths, and reports what it could list or read. */
const READ_ALL = `
  const found = [];
  const walk = (path) => {
    const names = tryTo(() => fs.readdirSync(path));
    if (Array.isArray(names)) { found.push(path); for (const name of names) walk(join(path, name)); }
    else if (names === 'ENOTDIR' && Buffer.isBuffer(tryTo(() => fs.readFileSync(path)))) found.push(path);
  };
  for (const path of args) walk(path);
  say(found);
`;

/** Listens at a path, in a directory that it creates, and reports every byte it receives. */
const LISTEN = `
  const [directory] = args;
  fs.mkdirSync(directory, { recursive: true });
  fs.chmodSync(directory, 0o777);
  const socket = join(directory, 'server.sock');
  net.createServer((client) => client.on('data', (data) => say(String(data))))
    .listen(socket, () => { fs.chmodSync(socket, 0o777); say('listening'); });
`;

/** Reads arguments and environments of all processes until it has seen the browser a few times. */
const SPY = `
  const [browser] = args;
  const seen = new Set();
  let times = 0;
  while (times < 20) {
    for (const pid of fs.readdirSync('/proc').filter((name) => /^\\d+$/.test(name))) {
      if (Number(pid) === process.pid) continue;
      for (const file of ['cmdline', 'environ']) {
        const text = tryTo(() => fs.readFileSync('/proc/' + pid + '/' + file, 'latin1'));
        if (typeof text !== 'string') continue;
        seen.add(text.split('\\0').join(' '));
        if (file === 'cmdline' && text.split('\\0').includes(browser)) times += 1;
      }
    }
  }
  const pages = [...seen].filter((text) => text.includes(browser)).flatMap((text) => text.match(/\\/\\S+\\.html/g) ?? []);
  say({ seen: [...seen], pages, read: pages.map((page) => tryTo(() => fs.readFileSync(page, 'utf8'))) });
`;

/** A command that serves, one that runs configured agents, and one that kills. */
const COMMANDS: readonly (readonly string[])[] = [[], ['doctor'], ['stop', '--all']];
/** The default tier tries one command per situation, in turn; `npm run attack` and the full tier try all of them. */
const TRIES_ALL = isFullTier || process.env.VITEST === undefined;
let turn = 0;

/** The commands are refused with the code, and nothing in the configuration took effect. */
async function refusedEverywhere(
  ground: Playground,
  what: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<string[]> {
  const problems: string[] = [];
  const one = COMMANDS[turn++ % COMMANDS.length] ?? [];
  for (const words of TRIES_ALL ? COMMANDS : [one]) {
    const ran = await ground.run(words, environment);
    problems.push(...notRefused(`${what}, tugdeck ${words.join(' ')}`, ran));
  }
  problems.push(...unless(!existsSync(ground.path('ran')), `${what}: the command of the other user ran`));
  return problems;
}

function notRefused(what: string, { code, out, err }: Ran): string[] {
  const isRefused = code === 1 && err.includes('(DATA_UNSAFE)') && !/\n\s+at /.test(err);
  return unless(isRefused, `${what}: ended with ${code}: ${out}${err}`);
}

/** A configuration whose agent creates a file when it runs. */
function hostileConfig(ground: Playground): string {
  const program = ground.path('agent');
  writeFileSync(program, `#!/bin/sh\nid > ${ground.path('ran')}\n`);
  chmodSync(program, 0o755);
  return JSON.stringify({ agent: 'theirs', agents: { theirs: { command: program } } });
}

/** Names in a directory; empty if the directory is gone. */
function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

/** The socket path in the ledger of the playground's server. */
function socketOf(ground: Playground): string {
  return openLedger(dataDirectory(ground.path('data')).ledger).get('server')?.socket ?? '';
}

export const OTHER_USER: readonly Attack[] = [
  {
    who: 'other user',
    name: 'reads the data directory, the logs and the sockets',
    async run(world) {
      const problems: string[] = [];
      const walk = (path: string) => {
        // Files come and go while the server runs.
        const stat = lstatSync(path, { throwIfNoEntry: false });
        if (!stat || stat.isSymbolicLink()) return;
        const open = stat.mode & 0o077;
        problems.push(
          ...unless(open === 0, `${path.split('/').slice(-2).join('/')} is open (${open.toString(8)})`),
        );
        if (stat.isDirectory()) for (const name of namesIn(path)) walk(join(path, name));
      };
      const { data, runtime } = world.deck.sandbox;
      for (const name of namesIn(data)) if (name !== 'config.json') walk(join(data, name));
      for (const name of namesIn(runtime)) walk(join(runtime, name));
      return problems;
    },
  },
  {
    who: 'other user',
    name: 'reads the files of a server that was started with umask 000',
    skipped: withoutSecondUser,
    run: (world) =>
      Playground.use(world, async (ground) => {
        await ground.serve();
        await ground.run(['send', '--agent', 'demo', '--wait', 'hello']);
        const runtime = dirname(socketOf(ground));
        const found = await ground.mallory(READ_ALL, ground.path('data'), runtime);
        await ground.run(['stop', '--all']);
        const open: string[] = [];
        const walk = (path: string) => {
          const stat = lstatSync(path, { throwIfNoEntry: false });
          if (!stat) return;
          if ((stat.mode & 0o022) !== 0 && !stat.isSymbolicLink()) open.push(path);
          if (stat.isDirectory() && !path.endsWith('demo-project'))
            for (const name of namesIn(path)) walk(join(path, name));
        };
        walk(ground.path('data'));
        return [
          ...unless(JSON.stringify(found) === '[]', `read ${JSON.stringify(found)}`),
          ...unless(
            open.length === 0,
            `writable if the directory around them were not private: ${open.join(', ')}`,
          ),
        ];
      }),
  },
  {
    who: 'other user',
    name: 'reads the arguments and environments of all processes while the browser is opened',
    skipped: withoutSecondUser,
    run: (world) =>
      Playground.use(world, async (ground) => {
        const problems: string[] = [];
        for (const [name, args] of Object.entries({ plain: '', full: ' --new-window %s --last' })) {
          // Stays in /proc with its arguments until it is removed.
          const browser = ground.path(name);
          writeFileSync(browser, '#!/bin/sh\nwhile [ -e "$0" ]; do sleep 0.1; done\n');
          chmodSync(browser, 0o755);
          const spy = ground.mallory(SPY, browser);
          const environment = { TUGDECK_NO_OPEN: '', BROWSER: `${browser}${args}` };
          const { url, pid } = await ground.serve(environment);
          const report = (await spy) as { seen: string[]; pages: string[]; read: string[] };
          const token = new URL(url).pathname.slice('/in/'.length);
          const page = report.pages[0];
          problems.push(
            ...unless(!report.seen.some((text) => text.includes(token)), 'saw the token'),
            ...unless(!report.seen.some((text) => text.includes(API_KEY)), 'saw the key'),
            ...unless(page !== undefined, 'the browser was not seen with its page'),
            ...unless(
              report.read.every((text) => text === 'EACCES'),
              `read the page: ${report.read}`,
            ),
          );
          if (page) {
            const text = readFileSync(page, 'utf8');
            problems.push(...unless(text.includes(url), 'the page does not lead to the address'));
          }
          await ground.run(['stop']);
          await waitGone(pid);
          problems.push(...unless(!(page && existsSync(page)), 'the page was left behind'));
          rmSync(browser);
        }
        return problems;
      }),
  },
  {
    who: 'other user',
    name: 'creates the data directory first, writable by all, with a configuration in it',
    skipped: withoutSecondUser,
    run: (world) =>
      Playground.use(world, async (ground) => {
        const config = hostileConfig(ground);
        const make = `
          const [data, mode, config] = args;
          fs.mkdirSync(data); fs.writeFileSync(join(data, 'config.json'), config);
          fs.chmodSync(data, Number(mode)); say('made');
        `;
        const problems: string[] = [];
        for (const mode of [0o777, 0o755, 0o1777]) {
          await ground.mallory(make, ground.path('data'), String(mode), config);
          problems.push(...(await refusedEverywhere(ground, `theirs, mode ${mode.toString(8)}`)));
          rmSync(ground.path('data'), { recursive: true });
        }
        return problems;
      }),
  },
  {
    who: 'other user',
    name: 'puts files into our data directory while it is writable',
    skipped: withoutSecondUser,
    run: (world) =>
      Playground.use(world, async (ground) => {
        const problems: string[] = [];
        const config = hostileConfig(ground);
        const data = ground.path('data');
        const plant = `const [file, text] = args; fs.writeFileSync(file, text); say('planted');`;
        for (const name of ['config.json', 'keys.json', 'password.json', 'tugdeck.db']) {
          mkdirSync(data);
          chmodSync(data, 0o777);
          await ground.mallory(plant, join(data, name), name === 'config.json' ? config : '');
          problems.push(...(await refusedEverywhere(ground, `${name}, still open`)));
          chmodSync(data, 0o700);
          problems.push(...(await refusedEverywhere(ground, `${name}, closed since`)));
          rmSync(data, { recursive: true });
        }
        return problems;
      }),
  },
  {
    who: 'other user',
    name: 'owns, or can replace, a directory or link above the data directory',
    skipped: withoutSecondUser,
    run: (world) =>
      Playground.use(world, async (ground) => {
        const config = hostileConfig(ground);
        const problems: string[] = [];
        // Our directory, inside the attacker's.
        await ground.mallory(`fs.mkdirSync(args[0]); say('made');`, ground.path('theirs'));
        const inside = ground.path('theirs', 'data');
        mkdirSync(inside, { mode: 0o700 });
        writeFileSync(join(inside, 'config.json'), config);
        problems.push(...(await refusedEverywhere(ground, 'inside', { TUGDECK_DATA_DIR: inside })));
        // A directory that doesn't exist yet: nothing may be created in it.
        const fresh = ground.path('theirs', 'fresh');
        problems.push(...(await refusedEverywhere(ground, 'fresh', { TUGDECK_DATA_DIR: fresh })));
        problems.push(
          ...unless(!existsSync(fresh), 'a data directory was created in the attacker’s directory'),
        );
        // The attacker's link to our directory.
        mkdirSync(ground.path('ours'), { mode: 0o700 });
        await ground.mallory(
          `fs.symlinkSync(args[0], args[1]); say('linked');`,
          ground.path('ours'),
          ground.path('link'),
        );
        problems.push(
          ...(await refusedEverywhere(ground, 'link', { TUGDECK_DATA_DIR: ground.path('link') })),
        );
        // Our directory, in our directory that is world-writable and not sticky.
        mkdirSync(ground.path('open', 'data'), { recursive: true, mode: 0o700 });
        chmodSync(ground.path('open'), 0o777);
        const open = ground.path('open', 'data');
        problems.push(...(await refusedEverywhere(ground, 'open', { TUGDECK_DATA_DIR: open })));
        return problems;
      }),
  },
  {
    who: 'other user',
    name: 'is served by root, who runs tugdeck on their directory',
    skipped: withoutSecondUser,
    run: (world) =>
      Playground.use(world, async (ground) => {
        mkdirSync(ground.path('data'), { mode: 0o700 });
        chownSync(ground.path('data'), MALLORY, MALLORY);
        const ran = await ground.run([]);
        return [
          ...notRefused('as root', ran),
          ...unless(/as that user instead of root/.test(ran.err), `does not say what to do: ${ran.err}`),
        ];
      }),
  },
  {
    who: 'other user',
    name: 'takes the name of the runtime directory: a directory, a link, a file',
    skipped: withoutSecondUser,
    run: (world) =>
      Playground.use(world, async (ground) => {
        const problems: string[] = [];
        await ground.serve();
        const usual = dirname(socketOf(ground));
        await ground.run(['stop']);
        rmSync(usual, { recursive: true });
        for (const take of [
          'mkdirSync(path, 0o777)',
          'symlinkSync("/tmp", path)',
          'writeFileSync(path, "")',
        ]) {
          await ground.mallory(`const [path] = args; fs.${take}; say('taken');`, usual);
          const { pid } = await ground.serve();
          const socket = socketOf(ground);
          const stat = lstatSync(dirname(socket));
          problems.push(
            ...unless(dirname(socket) !== usual, `${take}: used anyway`),
            ...unless(stat.uid === 0 && (stat.mode & 0o077) === 0, `${take}: the other one is open`),
            ...unless((await ground.run(['status'])).code === 0, `${take}: no status`),
          );
          await ground.run(['stop']);
          await waitGone(pid);
          await ground.serve();
          problems.push(...unless(socketOf(ground) === socket, `${take}: a third name was taken`));
          await ground.run(['stop']);
          rmSync(usual, { recursive: true });
        }
        return problems;
      }),
  },
  {
    who: 'other user',
    name: 'listens where the socket of the server was',
    skipped: withoutSecondUser,
    run: (world) =>
      Playground.use(world, async (ground) => {
        await ground.serve();
        const directory = dirname(socketOf(ground));
        // As a cleaner of temporary files does.
        rmSync(directory, { recursive: true });
        const listener = await ground.malloryStays(LISTEN, directory);
        await listener.next();
        const socket = join(directory, 'server.sock');
        const problems = await sendsNothing(ground, listener, socket);
        // The attacker's socket inside our directory.
        renameSync(directory, `${directory}.theirs`);
        mkdirSync(directory, { mode: 0o700 });
        renameSync(join(`${directory}.theirs`, 'server.sock'), socket);
        problems.push(...(await sendsNothing(ground, listener, socket)));
        return problems;
      }),
  },
  {
    who: 'other user',
    name: 'writes records into the ledger',
    skipped: withoutSecondUser,
    run: (world) =>
      Playground.use(world, async (ground) => {
        const data = dataDirectory(ground.path('data'));
        openLedger(data.ledger);
        const listener = await ground.malloryStays(LISTEN, ground.path('fake'));
        await listener.next();
        const bystander = spawn('sleep', ['600'], { stdio: 'ignore' });
        const target = bystander.pid ?? 0;
        const socket = ground.path('fake', 'server.sock');
        const records = [
          { id: 'server', purpose: 'server', identity: identify(listener.pid), socket },
          { id: 'host-1', purpose: 'host', session: '1', identity: identify(target), socket, secret: 'x' },
          { id: 'agent-1', purpose: 'agent', session: '1', identity: identify(target), group: target },
        ];
        for (const record of records) {
          const file = join(data.ledger, `${record.id}.json`);
          writeFileSync(file, JSON.stringify(record));
          chownSync(file, MALLORY, MALLORY);
        }
        const status = await ground.run(['status']);
        const stopped = await ground.run(['stop', '--all']);
        const url = await ground.run(['url']);
        const problems = [
          ...unless(status.out.includes('No server is running'), `status: ${status.out}${status.err}`),
          ...unless(stopped.code === 0, `stop: ${stopped.out}${stopped.err}`),
          ...unless(url.code === 1, `url: ${url.out}`),
          ...unless(isAlive(target), 'a process that the record named was killed'),
          ...(await receivedNothing(listener, socket)),
        ];
        // Our record that points to the attacker's socket.
        chownSync(join(data.ledger, 'server.json'), 0, 0);
        problems.push(...(await sendsNothing(ground, listener, socket)));
        chmodSync(data.ledger, 0o777);
        problems.push(...notRefused('an open ledger', await ground.run(['status'])));
        bystander.kill('SIGKILL');
        return problems;
      }),
  },
];

type Listener = Awaited<ReturnType<Playground['malloryStays']>>;

async function sendsNothing(ground: Playground, listener: Listener, socket: string): Promise<string[]> {
  const problems: string[] = [];
  for (const words of [[], ['status'], ['url'], ['stop'], ['send', 'hello']])
    problems.push(...notRefused(`tugdeck ${words.join(' ')}`, await ground.run(words)));
  return [...problems, ...(await receivedNothing(listener, socket))];
}

/** A marker: everything sent before it is reported before it. */
async function receivedNothing(listener: Listener, socket: string): Promise<string[]> {
  const last = `last ${randomUUID()}`;
  const client = connect(socket, () => client.end(last));
  const received: string[] = [];
  for (let text = ''; text !== last; received.push(text)) text = String(await listener.next());
  return received.slice(0, -1).map((text) => `was sent ${text}`);
}
