import { randomBytes, randomUUID } from 'node:crypto';
import { type Duplex, duplexPair, Readable } from 'node:stream';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import { FakeMachine, MACHINE_ID, quietLog, SESSION } from '@tugdeck/testkit/fake-machine';
import * as fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { type ConnectLinkOptions, connectLink, type Link } from '../src/connect-link.ts';
import { LINK_LIMITS } from '../src/link-limits.ts';
import { MessageStream } from '../src/message-stream.ts';
import { type ServeLinkOptions, serveLink } from '../src/serve-link.ts';

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

function serve(end: Duplex, machine: FakeMachine, options: Partial<ServeLinkOptions> = {}): Promise<void> {
  return serveLink(end, end, {
    machine,
    build: 'test',
    environment: { FROM: 'there' },
    log: quietLog,
    ...options,
  });
}

async function linked(
  machine = new FakeMachine(),
  options: { here?: ConnectLinkOptions; there?: Partial<ServeLinkOptions> } = {},
) {
  const [here, there] = duplexPair();
  const served = serve(there, machine, options.there);
  const link = await connectLink(here, here, options.here);
  closers.push(() => link.close());
  return { machine, link, served, here, there };
}

const request = (id = randomUUID()) =>
  ({ type: 'command', command: { kind: 'prompt.send', id, text: 'hi' } }) as never;

describe('port', () => {
  test('N7 carries calls, with results and coded errors', async () => {
    const { link } = await linked();
    const { machine } = link;
    expect(link.greeted).toMatchObject({ machine: MACHINE_ID, build: 'test', version: 1, banner: '' });
    expect(machine.id).toBe(MACHINE_ID);
    expect(await machine.browse('/tmp')).toEqual({ path: '/tmp', folders: [] });
    expect(await machine.files.find('p', 'a')).toEqual([{ path: 'a.txt', kind: 'file' }]);
    expect(await machine.files.readText('p', 'x', undefined)).toMatchObject({ kind: 'text' });
    await expect(machine.describeConfig('p', 'demo')).rejects.toMatchObject({ code: 'PROJECT_NOT_FOUND' });
    await expect(machine.perform({ type: 'layout.save' } as never)).rejects.toMatchObject({
      code: 'INVALID_MESSAGE',
    });
  });

  test('N7 runs programs with the environment of the machine they are on', async () => {
    const { link } = await linked();
    expect(await link.machine.openProject('/work', { FROM: 'here' }, { trust: false })).toBe('/work there');
    expect(await link.machine.openProject('work', {}, { trust: false })).toMatch(/^\/.+\/work there$/);
  });

  test('N7 carries files and blobs of every size', async () => {
    const { link, machine: there } = await linked();
    const { machine } = link;
    for (const size of [0, 1, 70_000, 5_000_000]) {
      const bytes = randomBytes(size);
      await machine.files.receive('p', 'up', { body: Readable.from([bytes]), announced: size, limit: 1e9 });
      expect(there.saved.get('up')?.equals(bytes)).toBe(true);
      const raw = await machine.files.openRaw('p', 'up', 1e9);
      expect(raw.size).toBe(size);
      expect(Buffer.concat(await raw.content.toArray()).equals(bytes)).toBe(true);
      expect((await machine.readBlob('s', 'up'))?.equals(bytes)).toBe(true);
    }
    expect(await machine.readBlob('s', 'none')).toBeUndefined();
    expect(await machine.storeBlob('s', 'x'.repeat(200_000))).toMatchObject({ size: 200_000 });
    expect(await machine.files.save('p', 'f', Buffer.from('text'), undefined)).toMatchObject({
      kind: 'saved',
    });
    await expect(machine.files.openRaw('p', 'none', 1e9)).rejects.toMatchObject({ code: 'FILE_NOT_FOUND' });
    await expect(machine.files.openRaw('p', 'up', 10)).rejects.toMatchObject({ code: 'FILE_TOO_LARGE' });
  });

  test('N7 carries areas: pushes, calls, bytes, and their end', async () => {
    const { link, machine: there } = await linked();
    const pushes: unknown[] = [];
    const bytes: Buffer[] = [];
    const area = link.machine.openArea(
      'git',
      { project: 'p' },
      { push: (push) => pushes.push(push), bytes: (data) => bytes.push(Buffer.from(data)) },
    );
    await area.opened;
    expect(await area.call({ type: 'log' })).toEqual({ type: 'log' });
    await expect(area.call({ fail: true })).rejects.toMatchObject({ code: 'GIT_FAILED', hint: 'hint' });
    area.bytes(Buffer.from('keys'));
    await expect.poll(() => Buffer.concat(bytes).toString()).toBe('keys');
    expect(pushes).toEqual([{ about: { project: 'p' } }]);
    area.close();
    await expect.poll(() => there.closedAreas).toEqual(['git']);
  });

  test('N7 carries a session: commands, receipts, an unknown session', async () => {
    const { link } = await linked();
    const lines: string[] = [];
    const channel = link.machine.openChannel(SESSION, (texts) => lines.push(...texts));
    channel.request({ type: 'follow' });
    channel.request(request('5c5b7f9e-7a33-4b47-8c3e-0d7a6f1f2a12' as never));
    await channel.opened;
    await expect.poll(() => lines.length).toBe(2);
    expect(lines.map((line) => JSON.parse(line).type)).toEqual(['changes', 'receipt']);
    await expect(link.machine.openChannel('other', () => undefined).opened).rejects.toMatchObject({
      code: 'SESSION_NOT_FOUND',
    });
  });

  test('N7 pushes the deck, first complete, then its changes', async () => {
    const { link, machine: there } = await linked();
    const types: string[] = [];
    await link.machine.openDeck((push) => types.push(push.type)).opened;
    there.push({ type: 'show', project: 'p' });
    await expect.poll(() => types).toEqual(['whole', 'show']);
  });
});

describe('greeting', () => {
  test('N5 tolerates a login banner before the greeting and returns it', async () => {
    const [here, there] = duplexPair();
    there.write(`\u001b[1mWelcome\u001b[0m to devbox\n${'motd '.repeat(10_000)}end`);
    void serve(there, new FakeMachine());
    const link = await connectLink(here, here);
    expect(link.greeted.banner.endsWith('motd end')).toBe(true);
    expect(await link.machine.isStored('s')).toBe(true);
    link.close();
  });

  test('N5 refuses more than 64 KB before the greeting, and says what was printed', async () => {
    const [here, there] = duplexPair();
    there.write('noise '.repeat(12_000));
    void serve(there, new FakeMachine());
    await expect(connectLink(here, here)).rejects.toMatchObject({ code: 'HOST_UNAVAILABLE' });
    const [one, other] = duplexPair();
    other.end('tugdeck: command not found\n');
    await expect(connectLink(one, one)).rejects.toThrow('command not found');
  });

  test('N14 uses the newest version that both ends know, and names the older end', async () => {
    const versions = (newest: number, oldest: number) => ({ versions: { newest, oldest } });
    for (const [here, there] of [
      [3, 2],
      [2, 3],
    ] as const) {
      const { link } = await linked(new FakeMachine(), {
        here: versions(here, here - 1),
        there: versions(there, there - 1),
      });
      expect(link.greeted.version).toBe(2);
      expect(await link.machine.isStored('s')).toBe(true);
    }
    await expect(
      linked(new FakeMachine(), { here: versions(3, 2), there: versions(1, 1) }),
    ).rejects.toMatchObject({ code: 'HOST_VERSION', hint: 'Update Tugdeck there.' });
    await expect(
      linked(new FakeMachine(), { here: versions(1, 1), there: versions(3, 2) }),
    ).rejects.toMatchObject({ code: 'HOST_VERSION', hint: 'Update Tugdeck here.' });
  });

  test('N5 ends a carrier that never greets', async () => {
    const [here] = duplexPair();
    const timings = { silentMs: 15_000, greetingMs: 50 };
    await expect(connectLink(here, here, { timings })).rejects.toMatchObject({ code: 'HOST_UNAVAILABLE' });
    expect(here.destroyed).toBe(true);
  });
});

describe('pulse', () => {
  const timings = { silentMs: 300, greetingMs: 5_000 };

  test('N8 a silent link is dead on both ends, and nothing of it stays', async () => {
    const machine = new FakeMachine();
    const [here, middle] = duplexPair();
    const [other, there] = duplexPair();
    let isCut = false;
    middle.on('data', (chunk) => !isCut && other.write(chunk));
    other.on('data', (chunk) => !isCut && middle.write(chunk));
    const served = serve(there, machine, { timings });
    const link = await connectLink(here, here, { timings });
    const channel = link.machine.openChannel(SESSION, () => undefined);
    await channel.opened;
    expect(machine.openChannels).toBe(1);
    isCut = true;
    await Promise.all([served, link.closed, channel.lost]);
    expect(machine.openChannels).toBe(0);
    await expect(link.machine.isStored('s')).rejects.toMatchObject({ code: 'HOST_UNAVAILABLE' });
  });

  test('N8 an idle link stays open, also if this process was stopped for longer', async () => {
    const { link } = await linked(new FakeMachine(), { here: { timings }, there: { timings } });
    let isClosed = false;
    void link.closed.then(() => {
      isClosed = true;
    });
    const stopped = performance.now() + 2 * timings.silentMs;
    while (performance.now() < stopped);
    const until = performance.now() + 3 * timings.silentMs;
    await expect.poll(() => performance.now() > until).toBe(true);
    expect(isClosed).toBe(false);
    expect(await link.machine.isStored('s')).toBe(true);
  });
});

test('N11 an unread stream slows no other and pauses its source', async () => {
  const { link, machine } = await linked();
  const area = link.machine.openArea(
    'terminal',
    { flood: 200 },
    { push: () => undefined, bytes: (data) => (received += data.length) },
  );
  let received = 0;
  area.pause();
  await expect.poll(() => machine.pauses).toBeGreaterThan(0);
  const before = received;
  for (let at = 0; at < 20; at++) expect(await link.machine.isStored('s')).toBe(true);
  expect(received).toBe(before);
  expect(machine.resumes).toBe(0);
  area.resume();
  await expect.poll(() => received).toBe(200 * 64 * 1024);
  // The source may be paused again while the rest arrives.
  expect(machine.resumes).toBeGreaterThan(0);
});

describe('hostile ends', () => {
  test('N21 a message that is nested too deeply closes its stream: encoding it again would overflow', async () => {
    const [here, there] = duplexPair();
    const settled = new Promise<string>((resolve) => {
      new MessageStream(here, LINK_LIMITS.fromMachine, {
        json: () => resolve('received'),
        closed: () => resolve('closed'),
      });
    });
    const depth = 100_000;
    const payload = Buffer.from(`{"push":${'['.repeat(depth)}${']'.repeat(depth)}}`);
    const head = Buffer.alloc(5);
    head.writeUInt32BE(payload.length);
    there.write(Buffer.concat([head, payload]));
    expect(await settled).toBe('closed');
  });

  /** Writes raw frames of one stream: `size` is what the head claims. */
  test('N21 a message above the limit closes its stream and nothing else', async () => {
    const machine = new FakeMachine();
    const { link } = await linked(machine);
    const channel = link.machine.openChannel(SESSION, () => undefined);
    await channel.opened;
    machine.openArea = ((_name: string, _about: unknown, out: { push(value: unknown): void }) => {
      setImmediate(() => out.push('x'.repeat(LINK_LIMITS.fromMachine)));
      const ignore = () => undefined;
      return {
        opened: Promise.resolve(),
        call: ignore,
        bytes: ignore,
        pause: ignore,
        resume: ignore,
        close: ignore,
      };
    }) as never;
    const pushes: unknown[] = [];
    const area = link.machine.openArea(
      'git',
      {},
      { push: (push) => pushes.push(push), bytes: () => undefined },
    );
    await area.opened;
    await area.lost;
    expect(pushes).toEqual([]);
    expect(await link.machine.isStored('s')).toBe(true);
  });

  test('N21 an invalid result is an error, not a value', async () => {
    const machine = new FakeMachine();
    machine.browse = (async () => ({ path: 5 })) as never;
    machine.isStored = (async () => 'yes') as never;
    const { link } = await linked(machine);
    await expect(link.machine.browse('/')).rejects.toMatchObject({ code: 'INTERNAL_ERROR' });
    await expect(link.machine.isStored('s')).rejects.toMatchObject({ code: 'INTERNAL_ERROR' });
  });

  test('N21 a file that is longer or shorter than announced fails', async () => {
    const machine = new FakeMachine();
    const { link } = await linked(machine);
    for (const size of [10, 1_000]) {
      machine.files.openRaw = async () => ({ size, content: Readable.from([Buffer.alloc(100)]) });
      const raw = await link.machine.files.openRaw('p', 'f', 1e6);
      await expect(raw.content.toArray()).rejects.toThrow(CodedError);
    }
    machine.files.openRaw = async () => ({ size: 2e6, content: Readable.from([]) });
    await expect(link.machine.files.openRaw('p', 'f', 1e6)).rejects.toMatchObject({ code: 'FILE_TOO_LARGE' });
  });
});

/** Forwards bytes between two ends until a budget is used up, then cuts both. */
function cutAfter(budget: number): { here: Duplex; there: Duplex } {
  const [here, near] = duplexPair();
  const [far, there] = duplexPair();
  let left = budget;
  const forward = (from: Duplex, to: Duplex) =>
    from.on('data', (chunk: Buffer) => {
      const part = chunk.subarray(0, left);
      left -= part.length;
      if (part.length > 0 && !to.destroyed) to.write(part);
      if (left <= 0) here.destroy();
    });
  forward(near, far);
  forward(far, near);
  const ends = [here, near, far, there];
  for (const end of ends) {
    end.on('error', () => undefined);
    end.on('close', () => {
      for (const other of ends) other.destroy();
    });
  }
  return { here, there };
}

test('N10 cuts at any byte lose nothing, repeat nothing, and apply commands once', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: 1, max: 4_000 }), { maxLength: 8 }),
      fc.integer({ min: 1, max: 12 }),
      async (cuts, count) => {
        const machine = new FakeMachine();
        const commands = Array.from({ length: count }, () => randomUUID());
        const waiting = new Set<string>(commands);
        const seen: { v: number; command: string }[] = [];
        const pending = [...cuts];
        // As the page does: follow from the last version, send what has no receipt.
        while (waiting.size > 0 || seen.length < count) {
          const { here, there } = cutAfter(pending.shift() ?? Number.POSITIVE_INFINITY);
          const served = serve(there, machine);
          const link: Link | undefined = await connectLink(here, here).catch(() => undefined);
          if (link) {
            const done = new Promise<void>((resolve) => {
              const channel = link.machine.openChannel(SESSION, (texts) => {
                for (const text of texts) {
                  const message = JSON.parse(text);
                  if (message.type === 'receipt') waiting.delete(message.command);
                  else seen.push(...message.changes);
                }
                if (waiting.size === 0 && seen.length >= count) resolve();
              });
              channel.request({ type: 'follow', v: seen.at(-1)?.v ?? 0 });
              for (const id of waiting) channel.request(request(id as never));
            });
            await Promise.race([done, link.closed]);
            link.close();
          }
          await served;
        }
        expect(seen.map(({ v }) => v)).toEqual(seen.map((_, at) => at + 1));
        expect(machine.journal.toSorted()).toEqual(commands.toSorted());
        expect(machine.openChannels).toBe(0);
      },
    ),
    { numRuns: process.env.TUGDECK_TEST_FULL ? 2_000 : 60 },
  );
});
