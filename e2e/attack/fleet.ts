/** Attacks on a fleet by somebody with all rights in its NATS account, and by one of its machines. */
import { randomBytes, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { createCertificate } from '@tugdeck/fleet/certificates';
import { Engine } from '@tugdeck/fleet/engine';
import { dialMachine, serveCarriers } from '@tugdeck/fleet/fleet-carrier';
import { deckKeys, machineKeys, writeFleetKeys } from '@tugdeck/fleet/fleet-files';
import { FleetMachine } from '@tugdeck/fleet/fleet-machine';
import { parseCode } from '@tugdeck/fleet/join-code';
import { joinFleet } from '@tugdeck/fleet/joining';
import { createSeed, publicKey, userToken } from '@tugdeck/fleet/nats-tokens';
import { SUBJECTS } from '@tugdeck/fleet/subjects';
import { openJournal } from '@tugdeck/journal/writer';
import { serveLink } from '@tugdeck/link/serve-link';
import { type DataDirectory, dataDirectory, makePrivate } from '@tugdeck/local/data-directory';
import type { Change } from '@tugdeck/protocol/conversation/changes';
import { foldAll } from '@tugdeck/protocol/conversation/fold';
import { quietLog } from '@tugdeck/testkit/fake-machine';
import { freePort } from '@tugdeck/testkit/free-port';
import { startNatsServer, whyNoNatsServer } from '@tugdeck/testkit/nats-server';
import { waitFor } from '@tugdeck/testkit/process-facts';
import { type Attack, alive, unless } from './attack.ts';
import { deckNow, EVIL, EvilMachine } from './machine.ts';
import type { World } from './world.ts';

const LINE = 'a line that nobody else may read';

interface Scene {
  readonly server: string;
  /** With all rights in the fleet's account. */
  readonly intruder: Engine;
  readonly data: DataDirectory;
  readonly code: string;
  connect(access: { token: string; seed: string; inbox: string }): Promise<Engine>;
  open(): FleetMachine;
}

/** A fleet of the product's deck, with one member. */
async function withFleet(world: World, use: (scene: Scene) => Promise<string[]>): Promise<string[]> {
  const { deck } = world;
  const port = await freePort();
  const server = `tls://127.0.0.1:${port}`;
  const folder = join(deck.sandbox.root, `nats-${port}`);
  await deck.run('fleet', 'init', '--server', server, '--folder', folder);
  const nats = await startNatsServer(folder, port);
  const opened: { close(): Promise<void> }[] = [];
  try {
    const keys = deckKeys(dataDirectory(deck.sandbox.data));
    const connect: Scene['connect'] = async ({ token, seed, inbox }) => {
      const engine = new Engine({
        server,
        authority: keys.authority,
        token,
        seed,
        inbox,
        name: inbox,
        log: quietLog,
      });
      opened.push(engine);
      await waitFor(() => engine.isConnected, { what: 'the connection' });
      return engine;
    };
    const seed = createSeed('user');
    const permissions = { publish: ['>'], subscribe: ['>'] };
    const token = userToken(keys.seeds.account, { user: publicKey(seed), name: 'intruder', permissions });
    const intruder = await connect({ token, seed, inbox: '_INBOX_intruder' });
    const { stdout } = await deck.run('fleet', 'invite', 'member');
    const code = stdout.trim().split(' ').at(-1) ?? '';
    const data = dataDirectory(join(deck.sandbox.root, `member-${port}`));
    makePrivate(data.root);
    // The deck may not have connected yet.
    const joined = await waitFor(() => joinFleet(parseCode(code), quietLog).catch(() => undefined), {
      what: 'the machine to join',
    });
    writeFleetKeys(data, joined);
    const open = () => {
      const machine = new EvilMachine({});
      const serve = { machine, build: 'member', environment: {}, log: quietLog };
      const member = new FleetMachine({
        ...{ data, server, machine, log: quietLog },
        serve: (stream) => void serveLink(stream, stream, serve),
      });
      opened.push(member);
      return member;
    };
    return [...(await use({ server, intruder, data, code, connect, open })), ...(await alive(world))];
  } finally {
    await Promise.all(opened.map((one) => one.close()));
    await deck.run('fleet', 'leave', '--yes');
    await nats.close();
    await waitFor(async () => !(await deckNow(world)).machines, { what: 'the machine to be removed' });
  }
}

const isOnline = async (world: World) => (await deckNow(world)).machines?.[0]?.state === 'online';

export const FLEET: readonly Attack[] = [
  {
    who: 'NATS client',
    name: 'with all rights opens a link to a machine, and stands in for one to the deck',
    skipped: whyNoNatsServer,
    run: (world) =>
      withFleet(world, async ({ intruder, data, open }) => {
        const { id, deck } = machineKeys(data);
        const own = createCertificate();
        // Before the machine itself is there, so that only the intruder answers.
        const evil = new EvilMachine({});
        let served = 0;
        const standIn = serveCarriers(intruder, { id, own, deck }, (stream) => {
          served++;
          void serveLink(stream, stream, { machine: evil, build: 'evil', environment: {}, log: quietLog });
        });
        await waitFor(
          async () => {
            intruder.publish(SUBJECTS.here(id), Buffer.from('{}'));
            return (await deckNow(world)).machines?.[0]?.fault?.includes('certificate');
          },
          { what: 'the deck to refuse the stand-in' },
        );
        const { projects } = await deckNow(world);
        standIn.close();
        const member = open();
        await waitFor(() => member.engine.isConnected, { what: 'the machine' });
        await waitFor(() => isOnline(world), { what: 'the link' });
        const { certificate } = (await memberOf(world)) ?? { certificate: '' };
        const carrier = dialMachine(intruder, { id, certificate, user: '' }, own);
        const read: Buffer[] = [];
        carrier.from.on('data', (bytes: Buffer) => void read.push(bytes));
        await carrier.ended;
        return [
          ...unless(served === 0, 'the deck opened a link to the intruder'),
          ...unless(!projects.some(({ id: project }) => project === EVIL), 'its project is listed'),
          ...unless(read.length === 0, 'the machine sent it something'),
        ];
      }),
  },
  {
    who: 'NATS client',
    name: 'with all rights reads and forges lines of links and copies',
    skipped: whyNoNatsServer,
    run: (world) =>
      withFleet(world, async ({ intruder, data, open }) => {
        const seen: Buffer[] = [];
        const links = new Set<string>();
        intruder.subscribe('>', ({ subject, data: bytes }) => {
          seen.push(bytes);
          if (subject.startsWith('tug.link.')) links.add(subject);
        });
        const session = randomUUID();
        const { state, writer } = openJournal(data.session(session), { now: Date.now });
        const entry = {
          id: 'n1',
          kind: 'notice',
          status: 'complete',
          text: LINE,
          notice: 'info',
          level: 'info',
        };
        const changes = [{ kind: 'entry.opened', entry, v: 1, at: 1 }] as unknown as Change[];
        writer.append(changes, foldAll(state, changes));
        writer.close();
        const member = open();
        await waitFor(() => isOnline(world), { what: 'the link' });
        const { id } = machineKeys(data);
        const copy = SUBJECTS.journal(id, session);
        const stored = await waitFor(
          async () => {
            const reply = await intruder
              .request(`$JS.API.DIRECT.GET.TUGDECK.${copy}`, '')
              .catch(() => undefined);
            return reply?.header('Nats-Sequence') ? reply.data : undefined;
          },
          { what: 'the copy' },
        );
        // Into the open link, in both directions.
        for (const subject of links)
          intruder.publish(subject, Buffer.concat([Buffer.alloc(5), randomBytes(500)]));
        await waitFor(() => isOnline(world), { what: 'the link to be open again' });
        const isClear = [...seen, stored].some(
          (bytes) => bytes.includes(LINE) || bytes.includes('"projects"'),
        );
        return [
          ...unless(!isClear, 'it read a line'),
          ...unless(member.engine.isConnected, 'the machine was disconnected'),
        ];
      }),
  },
  {
    who: 'machine',
    name: 'of a fleet uses a join code again, and subjects of other machines',
    skipped: whyNoNatsServer,
    run: (world) =>
      withFleet(world, async ({ data, code, connect }) => {
        const again = await joinFleet(parseCode(code), quietLog).then(
          () => 'joined',
          (error: unknown) => String(error),
        );
        const { id, token, user } = machineKeys(data);
        const engine = await connect({ token, seed: user, inbox: `_INBOX_${id}` });
        const other = '0'.repeat(16);
        const tried = [
          SUBJECTS.journal(other, 's'),
          `$JS.API.DIRECT.GET.TUGDECK.${SUBJECTS.journal(other, 's')}`,
          ...['MSG.GET', 'PURGE', 'DELETE', 'INFO', 'UPDATE'].map((call) => `$JS.API.STREAM.${call}.TUGDECK`),
          '$JS.API.CONSUMER.CREATE.TUGDECK',
          '$SYS.REQ.CLAIMS.UPDATE',
        ];
        const answers = await Promise.all(
          tried.map((subject) =>
            engine.request(subject, '{}').then(
              () => subject,
              (error: unknown) => String(error),
            ),
          ),
        );
        return [
          ...unless(again.includes('refused this code'), `the code worked again: ${again}`),
          ...answers.flatMap((answer, at) =>
            unless(answer.includes('Permissions Violation'), `${tried[at]}: ${answer}`),
          ),
        ];
      }),
  },
];

async function memberOf(world: World): Promise<{ certificate: string } | undefined> {
  const { stdout } = await world.deck.run('fleet', 'status', '--json');
  return JSON.parse(stdout).machines[0];
}
