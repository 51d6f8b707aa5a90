/** `tugdeck fleet` with the real command, and which code is loaded without one. */
import { mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isFullTier } from '@tugdeck/testkit/tiers';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type BuiltCli, buildCli, CliPlace } from './built-cli.ts';

let cli: BuiltCli;
let here: CliPlace;
beforeAll(async () => {
  cli = await buildCli();
});
afterAll(() => cli.remove());
beforeEach(() => {
  here = new CliPlace(cli);
});
afterEach(() => here.clear());

const configured = () => JSON.parse(readFileSync(join(here.data, 'config.json'), 'utf8')).fleet;
/** Nothing listens there. */
const SERVER = 'tls://127.0.0.1:9';
const init = (...more: string[]) => here.run(['fleet', 'init', '--server', SERVER, ...more]);

interface Coverage {
  readonly result: readonly {
    readonly url: string;
    readonly functions: readonly {
      readonly ranges: readonly { startOffset: number; endOffset: number; count: number }[];
    }[];
  }[];
}

/** Whether the module with this text was evaluated: its outermost function, which the bundler puts around each late module, ran. */
function wasLoaded(folder: string, text: string): boolean {
  const offset = readFileSync(here.program, 'utf8').indexOf(text);
  expect(offset).toBeGreaterThan(0);
  return readdirSync(folder).some((name) => {
    const { result } = JSON.parse(readFileSync(join(folder, name), 'utf8')) as Coverage;
    const program = result.find(({ url }) => url.endsWith('tugdeck.mjs'));
    const around = (program?.functions ?? [])
      .map(({ ranges: [range] }) => range)
      .filter(
        (range) => range && range.startOffset > 0 && range.startOffset < offset && range.endOffset > offset,
      );
    const outermost = around.sort((a, b) => (a?.startOffset ?? 0) - (b?.startOffset ?? 0))[0];
    return (outermost?.count ?? 0) > 0;
  });
}

async function serveOnce(): Promise<string> {
  const folder = join(here.base, `coverage-${readdirSync(here.base).length}`);
  mkdirSync(folder);
  const { exited } = await here.start([], { NODE_V8_COVERAGE: folder });
  await here.run(['stop']);
  await exited;
  return folder;
}

test('N15 without a fleet, a server loads no code for one', async () => {
  const [client, ours] = ['nats-base-client', 'fleet server not reached'];
  const without = await serveOnce();
  expect([wasLoaded(without, client), wasLoaded(without, ours)]).toEqual([false, false]);
  expect((await init()).code).toBe(0);
  const withOne = await serveOnce();
  expect(wasLoaded(withOne, ours)).toBe(true);
});

test('N25 init writes the configuration of the server, and keys that nobody else can read', async () => {
  const { code, out } = await init('--folder', 'server', '--replicas', '3');
  expect([code, out]).toEqual([
    0,
    expect.stringContaining('Then add machines with: tugdeck fleet invite NAME'),
  ]);
  expect(configured()).toEqual({ role: 'deck', server: SERVER, replicas: 3 });
  const folder = join(here.project, 'server');
  expect(readdirSync(folder).sort()).toEqual(['nats.conf', 'server.key', 'server.pem']);
  const keys = join(here.data, 'fleet', 'keys.json');
  for (const file of [keys, join(folder, 'server.key')]) expect(statSync(file).mode & 0o077).toBe(0);
  const { seeds } = JSON.parse(readFileSync(keys, 'utf8'));
  for (const seed of Object.values(seeds))
    expect(readFileSync(join(folder, 'nats.conf'), 'utf8')).not.toContain(seed);
  expect((await init('--folder', 'again')).err).toContain('this is part of a fleet already');
});

test('N25 an invitation is a command with a code, of which only a hash is stored', async () => {
  await init();
  const { out, err } = await here.run(['fleet', 'invite', 'worker']);
  expect(out).toMatch(/^tugdeck machine join tugdeck1-[\w-]+\n$/);
  expect(err).toContain('It works once, for 10 minutes');
  const codes = join(here.data, 'fleet', 'codes');
  const [file = ''] = readdirSync(codes);
  expect(Object.keys(JSON.parse(readFileSync(join(codes, file), 'utf8')))).toEqual([
    'name',
    'secret',
    'until',
  ]);
  expect((await here.run(['fleet', 'invite', '--', '-x'])).code).toBe(2);
  expect((await here.run(['machine', 'join', 'nonsense'])).err).toContain('this is part of a fleet already');
});

test.runIf(isFullTier)('N25 leaving deletes the keys, on the deck only after --yes', async () => {
  expect((await here.run(['fleet', 'status'])).out).toContain('Not part of a fleet.');
  expect((await here.run(['machine', 'join', 'nonsense'])).err).toContain('This is not a join code.');
  await init();
  expect((await here.run(['fleet', 'leave'])).err).toContain('confirm with --yes');
  expect((await here.run(['fleet', 'status'])).out).toContain("can't be reached");
  expect((await here.run(['fleet', 'revoke', 'nobody'])).err).toContain('is not a machine of the fleet');
  expect((await here.run(['fleet', 'leave', '--yes'])).code).toBe(0);
  expect(configured()).toBeUndefined();
  expect(readdirSync(here.data)).not.toContain('fleet');
});
