// Links through a real nats-server: joining, TLS with pinned certificates, cuts and revocation.
import { randomBytes, X509Certificate } from 'node:crypto';
import type { Duplex } from 'node:stream';
import { connectLink, type Link } from '@tugdeck/link/connect-link';
import { quietLog } from '@tugdeck/testkit/fake-machine';
import { whyNoNatsServer } from '@tugdeck/testkit/nats-server';
import { waitFor } from '@tugdeck/testkit/process-facts';
import { TestFleet, type TestMachine } from '@tugdeck/testkit/test-fleet';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createCertificate, fingerprintOf } from '../src/certificates.ts';
import { Engine } from '../src/engine.ts';
import { dialMachine } from '../src/fleet-carrier.ts';
import { CODE_MS, parseCode } from '../src/join-code.ts';
import { joinFleet } from '../src/joining.ts';
import { secureStream } from '../src/pinned-tls.ts';
import { SubjectStream } from '../src/subject-stream.ts';
import { SUBJECTS } from '../src/subjects.ts';

const why = whyNoNatsServer();

/** Two ends; `change` may replace or lose a message on its way. */
function subjectStreams(change: (message: Buffer) => Buffer | undefined = (message) => message) {
  const here: SubjectStream = new SubjectStream((message) => deliver(() => there, message));
  const there: SubjectStream = new SubjectStream((message) => deliver(() => here, message));
  const deliver = (to: () => SubjectStream, message: Buffer) => {
    const changed = change(message);
    if (changed) setImmediate(() => to().receive(changed));
  };
  for (const end of [here, there]) end.on('error', () => undefined);
  return { here, there };
}

async function read(stream: Duplex, length: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  stream.on('data', (part: Buffer) => void parts.push(part));
  await waitFor(() => parts.reduce((sum, one) => sum + one.length, 0) >= length, { what: 'the bytes' });
  return Buffer.concat(parts);
}

describe('N24 a byte stream over subjects', () => {
  test('N24 carries bytes in both directions, unchanged and in order', async () => {
    const { here, there } = subjectStreams();
    const [sent, back] = [randomBytes(5_000_000), randomBytes(300_000)];
    here.end(sent);
    there.write(back);
    const [arrived, returned] = await Promise.all([read(there, sent.length), read(here, back.length)]);
    expect(arrived.equals(sent)).toBe(true);
    expect(returned.equals(back)).toBe(true);
  });

  test('N11 at most a window is on its way to an end that does not read', async () => {
    let bytes = 0;
    const { here } = subjectStreams((message) => {
      bytes += message.length;
      return message;
    });
    let isDone = false;
    here.write(randomBytes(8_000_000), () => {
      isDone = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(bytes).toBeGreaterThan(900_000);
    expect(bytes).toBeLessThan(1_100_000);
    expect(isDone).toBe(false);
  });

  test('N24 a lost message ends the stream instead of leaving a gap', async () => {
    let count = 0;
    const { here, there } = subjectStreams((message) => (++count === 3 ? undefined : message));
    here.write(randomBytes(500_000));
    there.resume();
    await waitFor(() => there.destroyed && here.destroyed, { what: 'both ends to close' });
  });
});

describe('N24 pinned certificates', () => {
  const [deck, machine, stranger] = [createCertificate(), createCertificate(), createCertificate()];
  const shake = ([client, server]: Duplex[], own = deck, expected = machine, known = deck) =>
    Promise.allSettled([
      secureStream(client as Duplex, {
        ...{ own, isServer: false },
        isExpected: (print) => print === fingerprintOf(expected.certificate),
      }),
      secureStream(server as Duplex, {
        ...{ own: machine, isServer: true },
        isExpected: (print) => print === fingerprintOf(known.certificate),
      }),
    ]);

  test('N24 are valid, with the names of a server', () => {
    const { certificate } = createCertificate(['nats.example', '10.0.0.7', 'fd00::1']);
    const parsed = new X509Certificate(certificate);
    expect(parsed.verify(parsed.publicKey)).toBe(true);
    expect(parsed.checkHost('nats.example')).toBe('nats.example');
    expect([parsed.checkIP('10.0.0.7'), parsed.checkIP('fd00::1')]).toEqual(['10.0.0.7', 'fd00::1']);
    expect(parsed.checkHost('other.example')).toBeUndefined();
  });

  test('N24 open a stream between the two ends that know each other', async () => {
    const [client, server] = await shake(Object.values(subjectStreams()));
    expect([client.status, server.status]).toEqual(['fulfilled', 'fulfilled']);
  });

  test.each([
    ['a machine with another certificate', deck, stranger, deck],
    ['a deck with another certificate', stranger, machine, deck],
  ])('N24 refuse %s', async (_who, own, expected, known) => {
    const ends = Object.values(subjectStreams());
    const results = await shake(ends, own, expected, known);
    expect(results.some(({ status }) => status === 'rejected')).toBe(true);
    await waitFor(() => ends.every(({ destroyed }) => destroyed), { what: 'the stream to close' });
  });
});

describe.skipIf(why !== undefined)('fleet', () => {
  let fleet: TestFleet;
  let worker: TestMachine;
  let link: Link;
  beforeAll(async () => {
    fleet = await TestFleet.start();
    worker = await fleet.join('worker');
  });
  afterAll(() => fleet?.close());

  const connectWorker = async () => {
    const carrier = fleet.deck.carrier('worker');
    return connectLink(carrier.from, carrier.to);
  };

  test('N25 a machine joins with a code, which works once', async () => {
    expect(worker.member().id).toMatch(/^[0-9a-f]{16}$/);
    await waitFor(
      () => fleet.audited.some(({ message, machine }) => message === 'joined' && machine === 'worker'),
      {
        what: 'the audit',
      },
    );
    const code = parseCode(fleet.code('other'));
    const results = await Promise.allSettled([joinFleet(code, quietLog), joinFleet(code, quietLog)]);
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    await expect(joinFleet(code, quietLog)).rejects.toThrow('refused this code');
  });

  test('N25 a code is refused after ten minutes and with another secret, and holds no lasting secret', async () => {
    const old = parseCode(fleet.code('late', Date.now() - CODE_MS - 1_000));
    await expect(joinFleet(old, quietLog)).rejects.toThrow("can't be reached");
    const code = parseCode(fleet.code('thief'));
    await expect(joinFleet({ ...code, secret: 'guessed' }, quietLog)).rejects.toThrow('refused this code');
    const claims = JSON.parse(Buffer.from(code.token.split('.')[1] ?? '', 'base64url').toString());
    expect(claims.exp * 1000 - Date.now()).toBeLessThanOrEqual(CODE_MS);
    expect(claims.nats.pub.allow).toEqual([SUBJECTS.join(code.id), SUBJECTS.joinUp(code.id, '*')]);
  });

  test('N25 a stranger in the place of the deck gets no secret of a code', async () => {
    const code = parseCode(fleet.code('cautious'));
    const other = fingerprintOf(createCertificate().certificate);
    await expect(joinFleet({ ...code, deck: other }, quietLog)).rejects.toThrow('does not answer');
    // It was not used up.
    expect((await joinFleet(code, quietLog)).name).toBe('cautious');
  });

  test('N24 a link goes through the server, and N16 answers at once', async () => {
    const open = worker.open();
    await fleet.online(open.engine);
    await waitFor(() => fleet.heard.includes('worker'), { what: 'presence' });
    link = await connectWorker();
    expect(link.greeted.build).toBe('worker');
    expect(await link.machine.browse('/tmp')).toEqual({ path: '/tmp', folders: [] });
    const bytes = randomBytes(3_000_000);
    await link.machine.files.save('p', 'big', bytes, undefined);
    expect(worker.fake.saved.get('big')?.equals(bytes)).toBe(true);
    const raw = await link.machine.files.openRaw('p', 'big', 10_000_000);
    const parts: Buffer[] = [];
    for await (const part of raw.content) parts.push(part as Buffer);
    expect(Buffer.concat(parts).equals(bytes)).toBe(true);
  });

  test('N24 full rights in NATS open no link and read no line', async () => {
    const intruder = await fleet.intruder();
    const seen: Buffer[] = [];
    intruder.subscribe('>', ({ data }) => void seen.push(data));
    const own = createCertificate();
    const carrier = dialMachine(intruder, worker.member(), own);
    carrier.from.resume();
    await carrier.ended;
    const standIn = dialMachine(
      intruder,
      { ...worker.member(), certificate: fingerprintOf(own.certificate) },
      own,
    );
    standIn.from.resume();
    await standIn.ended;
    await link.machine.files.save('p', 'secret', Buffer.from('the secret text'.repeat(100)), undefined);
    await waitFor(() => seen.length > 20, { what: 'messages of the link' });
    expect(Buffer.concat(seen).includes('secret text')).toBe(false);
    expect(worker.fake.saved.get('secret')?.toString()).toContain('the secret text');
  });

  test('N24 a forged or repeated message ends the link and changes nothing', async () => {
    const intruder = await fleet.intruder();
    const connection = new Promise<string>((resolve) => {
      intruder.subscribe('tug.link.*.*.up', ({ subject }) => resolve(subject));
    });
    const victim = await connectWorker();
    const subject = await connection;
    const before = [...worker.fake.saved.keys()];
    const forged = Buffer.concat([Buffer.from([0, 0, 0, 0, 0]), randomBytes(100)]);
    intruder.publish(subject, forged);
    await victim.closed;
    expect([...worker.fake.saved.keys()]).toEqual(before);
  });

  test('N25 one machine may use no subject of another', async () => {
    const keys = fleet.machineKeys('worker');
    const engine = fleet.keep(
      new Engine({
        ...{ server: fleet.settings.server, authority: keys.authority, token: keys.token, seed: keys.user },
        ...{ inbox: `_INBOX_${keys.id}`, name: 'worker', log: quietLog },
      }),
    );
    await fleet.online(engine);
    const other = 'f'.repeat(16);
    for (const subject of [SUBJECTS.journal(other, 's'), `$JS.API.DIRECT.GET.TUGDECK.tug.copy.${other}.s.j`])
      await expect(engine.request(subject, 'x')).rejects.toThrow('Permissions Violation');
    for (const name of ['STREAM.PURGE.TUGDECK', 'STREAM.DELETE.TUGDECK', 'STREAM.MSG.GET.TUGDECK'])
      await expect(engine.call(name)).rejects.toThrow('Permissions Violation');
  });

  test('N9 a killed server closes links, which open again when it is back', async () => {
    const lost = link.closed;
    await fleet.server.kill();
    await lost;
    await fleet.server.start();
    await fleet.online();
    link = await waitFor(() => connectWorker().catch(() => undefined), { what: 'a new link' });
    expect(await link.machine.browse('/tmp')).toEqual({ path: '/tmp', folders: [] });
  });

  // `npm run bench -- fleet` measures how soon.
  test('N25 a revoked machine is disconnected, and stays out', async () => {
    const { user } = worker.member();
    const [open] = [worker.open()];
    await fleet.online(open.engine);
    fleet.configure({ machines: {}, revoked: { [user]: Math.floor(Date.now() / 1000) + 1 } });
    await link.closed;
    await waitFor(() => !open.engine.isConnected, { what: 'the server to disconnect it' });
    await waitFor(
      () => open.engine.fault?.includes('Authorization') || open.engine.fault?.includes('Revoked'),
      {
        what: 'the server to refuse it',
      },
    );
  });
});
