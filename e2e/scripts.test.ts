import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { dataDirectory } from '@tugdeck/local/data-directory';
import { waitFor } from '@tugdeck/testkit/process-facts';
import { madeFile, shortAnswer } from '@tugdeck/testkit/scenarios';
import { text } from '@tugdeck/testkit/script';
import { isFullTier } from '@tugdeck/testkit/tiers';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openPlace, type Place, type Ran } from './command.ts';

/** Only in the full tier: a quicker test checks the same, or it takes too long here. */
const testFull = test.skipIf(!isFullTier);

let place: Place;

beforeEach(async () => {
  place = await openPlace();
});
afterEach(() => place?.close());

const json = ({ stdout }: Ran) => JSON.parse(stdout);

/** The server as a user has it, without a browser; resolves once it is ready. */
async function startServer(): Promise<void> {
  const server = place.spawn('--no-open');
  await new Promise<void>((resolve, reject) => {
    server.stdout.once('data', () => resolve());
    server.once('exit', () => reject(new Error('the server ended')));
  });
}

describe('send without a server', () => {
  test('L24 --wait prints the answer and leaves nothing running', async () => {
    const sent = await place.run('send', '--new', '--wait', 'SCN:text');
    expect(sent).toMatchObject({ code: 0, stdout: `${shortAnswer}\n` });
    expect(place.records()).toEqual([]);
    const [session] = json(await place.run('sessions', 'list', '--json'));
    expect(session).toMatchObject({ title: 'SCN:text', agent: 'claude', live: false });
    expect(session.directory).toBe(place.sandbox.project);
  });

  testFull('L24 the next message goes to the same session, --new starts another', async () => {
    const first = json(await place.run('send', '--wait', '--json', 'SCN:text'));
    expect(first).toMatchObject({ state: 'done', endedBy: 'completed', answer: shortAnswer });
    const second = json(await place.run('send', '--wait', '--json', 'SCN:thinking'));
    expect(second.session).toBe(first.session);
    const third = json(await place.run('send', '--new', '--wait', '--json', 'SCN:text'));
    expect(third.session).not.toBe(first.session);
    const by = await place.run(
      'send',
      '--session',
      first.session.slice(0, 12),
      '--wait',
      '--json',
      'SCN:text',
    );
    expect(json(by).session).toBe(first.session);
  });

  test('L24 an empty, a failed and a waiting message have separate exit codes', async () => {
    expect(await place.run('send', '--wait', ' ')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('nothing to send'),
    });
    expect((await place.run('send', '--new', '--wait', 'SCN:forbidden')).code).toBe(4);
    const waiting = await place.run('send', '--new', '--wait', '--json', 'SCN:bash');
    expect(waiting.code).toBe(5);
    expect(json(waiting)).toMatchObject({ state: 'waiting', requests: [{ kind: 'permission' }] });
    const { session } = json(waiting);
    expect(place.records().map(({ id }) => id)).toContain(`host-${session}`);
    // Another program answers it with `tugdeck talk`.
    const talker = place.talk('--session', session);
    talker.send({ type: 'protocol_init', version: 1 });
    const { request_id } = await talker.next('tool_approval_request');
    talker.send({ type: 'tool_approval', request_id, decision: 'allow' });
    await talker.next('turn_complete');
    talker.process.stdin.end();
    await talker.ended;
    expect(existsSync(join(place.sandbox.project, madeFile))).toBe(true);
  });

  test('L24 without --wait it prints the session, which continues to work', async () => {
    const { code, stdout } = await place.run('send', '--new', 'SCN:text');
    expect(code).toBe(0);
    await waitFor(
      async () => (await place.run('sessions', 'show', stdout.trim())).stdout.includes(shortAnswer),
      { what: 'the answer on disk' },
    );
  });

  test('L24 unknown sessions and agents are refused with a message', async () => {
    expect(await place.run('send', '--session', 'nothing', 'x')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('SESSION_NOT_FOUND'),
    });
    expect(await place.run('send', '--dir', '/nowhere/at/all', 'x')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('PROJECT_PATH_INVALID'),
    });
    expect((await place.run('send', '--new', '--session', 'x', 'y')).code).toBe(2);
  });
});

describe('with a server', () => {
  test('L24 send uses the running server: the session is in its deck and its host keeps running', async () => {
    await startServer();
    const sent = json(await place.run('send', '--new', '--wait', '--json', 'SCN:text'));
    expect(sent).toMatchObject({ state: 'done', answer: shortAnswer });
    const { hosts } = json(await place.run('status', '--json'));
    expect(hosts).toMatchObject([{ session: sent.session, title: 'SCN:text' }]);
    expect(json(await place.run('sessions', 'list', '--json'))).toMatchObject([
      { id: sent.session, live: true },
    ]);
    expect(json(await place.run('send', '--wait', '--json', 'SCN:thinking')).session).toBe(sent.session);
  });

  test('L5 talk uses the running server too, which notices its end', async () => {
    await startServer();
    const talker = place.talk();
    talker.send({ type: 'protocol_init', version: 2 }, { type: 'user_message', text: 'SCN:text' });
    const { session_id } = await talker.next('protocol_ack');
    await talker.next('turn_complete');
    expect(json(await place.run('status', '--json')).hosts).toMatchObject([{ session: session_id }]);
    talker.process.stdin.end();
    expect(await talker.ended).toBe(0);
    await waitFor(async () => json(await place.run('status', '--json')).hosts.length === 0, {
      what: 'the server to know that the host has ended',
    });
    expect(json(await place.run('sessions', 'list', '--json'))).toMatchObject([
      { id: session_id, live: false },
    ]);
  });
});

describe('sessions', () => {
  test('L6 show, search and export read what is on disk', async () => {
    const long = 'A long line of text. '.repeat(5_000);
    place.fake.script('huge', [text(long, { chunk: 4_000 })]);
    await place.run('send', '--new', '--wait', 'SCN:huge');
    const { session } = json(await place.run('send', '--new', '--wait', '--json', 'SCN:read'));
    const shown = await place.run('sessions', 'show', session.slice(0, 8));
    expect(shown.stdout).toContain('You:\n  SCN:read');
    expect(shown.stdout).toContain('The notes have three lines.');
    const all = json(await place.run('sessions', 'show', session, '--json'));
    expect(all.entries.map(({ kind }: { kind: string }) => kind)).toEqual(['user', 'tool', 'text']);
    expect(all).toMatchObject({ session: { id: session }, turns: [{ endedBy: 'completed' }] });

    const markdown = (await place.run('sessions', 'export', session)).stdout;
    expect(markdown).toMatch(/^# SCN:read\n/);
    expect(markdown).toContain('The notes have three lines.');
    expect(markdown).toContain('second line');
    expect(json(await place.run('sessions', 'export', session, '--json')).entries).toEqual(all.entries);

    const [other] = json(await place.run('sessions', 'search', 'scn:HUGE', '--json'));
    expect((await place.run('sessions', 'export', other.session)).stdout).toContain(long.trimEnd());
    const found = json(await place.run('sessions', 'search', 'three', 'LINES', '--json'));
    expect(found).toMatchObject([{ session, kind: 'text', text: expect.stringContaining('three lines') }]);
    expect((await place.run('sessions', 'search', 'nobody said this')).code).toBe(1);
    expect((await place.run('sessions', 'dance')).code).toBe(2);
  });
});

describe('doctor', () => {
  const check = (ran: Ran, name: string) =>
    json(ran).checks.find((one: { name: string }) => one.name === name);

  test('L4 the agent is found with version and sign-in, and every check passes', async () => {
    const ran = await place.run('doctor', '--json');
    expect(ran.code).toBe(0);
    expect(check(ran, 'Claude Code')).toMatchObject({
      state: 'ok',
      facts: { agent: 'claude', version: expect.stringMatching(/^\d+\./), supported: true, signedIn: true },
    });
    expect(check(ran, 'Codex')).toMatchObject({ state: 'note', fix: expect.stringContaining('npm install') });
    expect(check(ran, 'node')).toMatchObject({ state: 'ok', detail: process.versions.node });
    const words = await place.run('doctor');
    expect(words.stdout).toMatch(/^ok +node/m);
    expect(words.stdout).not.toContain('FAIL');
  });

  test('L4 failing checks say what to do and set the exit code', async () => {
    writeFileSync(join(place.sandbox.data, 'config.json'), JSON.stringify({ agent: 'codex', port: 1 }));
    chmodSync(place.sandbox.data, 0o755);
    const old = join(place.sandbox.home, 'old-agent');
    writeFileSync(old, '#!/bin/sh\necho 1.0.9\n', { mode: 0o755 });
    writeFileSync(
      join(place.sandbox.data, 'config.json'),
      JSON.stringify({ agent: 'codex', agents: { claude: { command: old } } }),
    );
    const ran = await place.run('doctor', '--json');
    expect(ran.code).toBe(1);
    expect(check(ran, 'Codex')).toMatchObject({
      state: 'failed',
      fix: expect.stringContaining('npm install'),
    });
    expect(check(ran, 'Claude Code')).toMatchObject({ state: 'failed', facts: { supported: false } });
    // Private by now: every command restricts it before reading anything (X9).
    expect(check(ran, 'data')).toMatchObject({ state: 'ok' });
    expect(statSync(place.sandbox.data).mode & 0o777).toBe(0o700);
  });
});

test('X3 logs are collected without secrets', async () => {
  await place.run('send', '--new', '--wait', 'SCN:text');
  const { logs } = dataDirectory(place.sandbox.data);
  const secret = 'c2VjcmV0LXZhbHVl';
  writeFileSync(
    join(logs, 'server.log'),
    [
      JSON.stringify({ message: 'x', token: secret, deep: { apiKey: secret } }),
      `opened http://127.0.0.1:7700/in/${secret}`,
      `authorization: Bearer ${secret}`,
      `TOKEN=${secret} in ${place.sandbox.home}/project`,
      'an ordinary line',
    ].join('\n'),
  );
  const { code, stdout } = await place.run('logs');
  expect(code).toBe(0);
  expect(stdout).not.toContain(secret);
  expect(stdout).not.toContain(place.sandbox.home);
  expect(stdout).toContain('an ordinary line');
  expect(stdout).toMatch(/==> host-.*\.log/);
  const file = join(place.sandbox.temp, 'report.txt');
  expect((await place.run('logs', '--output', file)).stdout).toBe('');
  expect(readFileSync(file, 'utf8')).toContain('an ordinary line');
  expect(statSync(file).mode & 0o777).toBe(0o600);
});
