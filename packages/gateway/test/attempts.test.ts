/** Attempts through a real server with a fake host (B37 to B40): one prompt, one commit, a workspace each. */
import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { storeText } from '@tugdeck/journal/blobs';
import { dataDirectory } from '@tugdeck/local/data-directory';
import type { AttemptsRow, ComparedAttempts } from '@tugdeck/protocol/attempts/attempts';
import type { DeckMessage } from '@tugdeck/protocol/wire/deck';
import type { WorkspaceRow } from '@tugdeck/protocol/workspaces/workspace';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  type GitWorld,
  gitWorld,
  repositoryAt,
  type TestRepository,
} from '../../machine/test/git-fixture.ts';
import { pageWithSession, type TestPage, type TestPlace, testPlace } from './test-server.ts';

const AREA = 7;

let world: GitWorld;
let place: TestPlace;
let repository: TestRepository;
beforeAll(() => {
  world = gitWorld();
});
afterAll(() => world.dispose());
beforeEach(() => {
  place = testPlace();
  repository = repositoryAt(place.project);
  repository.commit('one', { 'a.txt': 'one\n', 'b.txt': 'one\ntwo\nthree\n' });
});
afterEach(() => place.clear());

const file = (session: string, name: string) => join(place.root, 'sessions', session, name);
const receivedBy = (session: string): { prompt: { id: string; text: string } }[] =>
  existsSync(file(session, 'fake-changes.json'))
    ? JSON.parse(readFileSync(file(session, 'fake-changes.json'), 'utf8'))
    : [];
const hostConfig = (session: string) => JSON.parse(readFileSync(file(session, 'fake-config.json'), 'utf8'));
const isHead = (message: DeckMessage) => message.type === 'deck' || message.type === 'welcome';

interface Started {
  readonly page: TestPage;
  readonly project: string;
  readonly request: { readonly id: string; readonly prompt: { readonly id: string } };
  readonly sessions: readonly string[];
  /** The workspaces in the order of the attempts, once all are ready. */
  ready(): Promise<WorkspaceRow[]>;
  call(type: string, input?: object): Promise<unknown>;
  group(): Promise<AttemptsRow | undefined>;
}

async function started(count: number, config = {}): Promise<Started> {
  const { page, project } = await pageWithSession(place, await place.start({ config }));
  await page.request({ type: 'feed.open', channel: AREA, feed: 'attempts', about: { project } });
  const first = randomUUID();
  await page.request({ type: 'session.create', session: first, project, agent: 'tester', later: true });
  const attempts = Array.from({ length: count }, (_, index) => ({
    session: index === 0 ? first : randomUUID(),
    workspace: randomUUID(),
    agent: 'tester',
    ...(index === 1 ? { model: 'small', mode: 'plan' } : {}),
  }));
  const ref = storeText(dataDirectory(place.root).session(first), 'an attached text');
  const data = { ...ref, head: '', tail: '' };
  const prompt = {
    ...{ kind: 'prompt.send', id: randomUUID(), text: 'Make search faster\nwith an index' },
    attachments: [{ name: 'a.txt', mimeType: 'text/plain', size: 16, data }],
  };
  const request = { id: randomUUID(), prompt, attempts };
  const call = (type: string, input: object = {}) => page.call('attempts', AREA, { type, ...input });
  await call('start', request);
  const workspaces = attempts.map(({ workspace }) => workspace);
  const rowsIn = (message: DeckMessage) =>
    isHead(message) && 'deck' in message
      ? workspaces.flatMap((id) => message.deck.workspaces?.find((row) => row.id === id) ?? [])
      : [];
  const isReady = (message: DeckMessage) => {
    const rows = rowsIn(message);
    return rows.length === count && rows.every(({ state }) => state === 'ready');
  };
  return {
    ...{ page, project, request, call },
    sessions: attempts.map(({ session }) => session),
    ready: async () => rowsIn(await page.deckMessage(isReady)),
    group: async () => (await page.welcome()).deck.attempts?.find(({ id }) => id === request.id),
  };
}

test('B37 B38 three attempts start from one commit, in a workspace each, with the same prompt and attachments', async () => {
  const { call, ready, request, sessions, group } = await started(3);
  const commit = repository.git('rev-parse', 'main').trim();
  // The branch moves on; the attempts don't.
  repository.commit('two', { 'a.txt': 'two\n' });
  const rows = await ready();
  expect(rows.map(({ baseCommit }) => baseCommit)).toEqual([commit, commit, commit]);
  expect(rows.map(({ base }) => base)).toEqual(['main', 'main', 'main']);
  expect(new Set(rows.map(({ path, branch, port }) => [path, branch, port].join())).size).toBe(3);
  for (const session of sessions)
    await expect.poll(() => receivedBy(session).length, { timeout: 60_000 }).toBe(1);
  const texts = sessions.map((session) => receivedBy(session)[0]?.prompt);
  expect(new Set(texts.map((one) => JSON.stringify(one))).size).toBe(1);
  expect(texts[0]).toEqual({ id: request.prompt.id, text: 'Make search faster\nwith an index' });
  const blobs = sessions.map((session) => readFileSync(attachment(session, request), 'utf8'));
  expect(blobs).toEqual(Array(3).fill('an attached text'));
  expect(sessions.map((session) => [hostConfig(session).model, hostConfig(session).mode])).toEqual([
    [undefined, undefined],
    ['small', 'plan'],
    [undefined, undefined],
  ]);
  // The same request again, as after a lost connection, starts nothing.
  await call('start', request);
  expect(await group()).toMatchObject({
    title: 'Make search faster',
    base: 'main',
    baseCommit: commit,
    attempts: sessions.map((session) => ({ session })),
  });
  expect(sessions.map((session) => receivedBy(session).length)).toEqual([1, 1, 1]);
});

function attachment(session: string, { prompt }: { prompt: unknown }): string {
  const [{ data }] = (prompt as { attachments: [{ data: { blob: string } }] }).attachments;
  return join(dataDirectory(place.root).session(session).blobs, data.blob);
}

test('B38 B40 a follow-up goes to the chosen attempts only, once; nothing is archived while one works', async () => {
  const { call, page, ready, request, sessions } = await started(3);
  await ready();
  for (const session of sessions)
    await expect.poll(() => receivedBy(session).length, { timeout: 60_000 }).toBe(1);
  const [first = '', , third = ''] = sessions;
  const command = randomUUID();
  const follow = { group: request.id, sessions: [first, third], command, text: 'Add a test' };
  await expect
    .poll(() =>
      call('send', follow).then(
        () => 'sent',
        () => 'held',
      ),
    )
    .toBe('sent');
  for (const session of [first, third])
    await expect.poll(() => receivedBy(session).length, { timeout: 60_000 }).toBe(2);
  expect(receivedBy(first)[1]?.prompt).toEqual({ id: command, text: 'Add a test' });
  expect(receivedBy(third)[1]?.prompt).toEqual({ id: command, text: 'Add a test' });
  expect(receivedBy(sessions[1] ?? '')).toHaveLength(1);
  await expect(call('send', { ...follow, sessions: [randomUUID()] })).rejects.toMatchObject({
    code: 'SESSION_NOT_FOUND',
  });
  const work = { ...follow, sessions: [third], command: randomUUID(), text: 'work' };
  await expect
    .poll(() =>
      call('send', work).then(
        () => 'sent',
        () => 'held',
      ),
    )
    .toBe('sent');
  await page.deckMessage(
    (message) =>
      message.type === 'session' && message.row.id === third && message.row.summary?.turn === 'running',
  );
  await expect(call('choose', { group: request.id, session: first })).rejects.toMatchObject({
    code: 'WORKSPACE_BUSY',
  });
  const states = (await page.welcome()).deck.workspaces?.map(({ state }) => state);
  expect(states).toEqual(['ready', 'ready', 'ready']);
});

test('B39 compares uncommitted and committed work with the base and with another attempt, and the check', async () => {
  const { call, page, ready, request, sessions, project } = await started(2, {
    workspaces: { check: 'test -f c.txt' },
  });
  const [a, b] = await ready();
  const [first = '', second = ''] = sessions;
  writeFileSync(join(a?.path ?? '', 'a.txt'), 'of the first\n');
  writeFileSync(join(b?.path ?? '', 'c.txt'), 'of the second\n');
  repositoryAt(b?.path ?? '', false).git('add', '.');
  repositoryAt(b?.path ?? '', false).git('commit', '-qm', 'second');
  writeFileSync(join(b?.path ?? '', 'a.txt'), 'of the second\n');
  const compare = () => call('compare', { group: request.id }) as Promise<ComparedAttempts>;
  await expect.poll(async () => (await compare()).files.length).toBe(2);
  expect(await compare()).toMatchObject({
    attempts: [
      { session: first, files: 1, added: 1, removed: 1 },
      { session: second, files: 2, added: 2, removed: 1 },
    ],
    files: [
      { path: 'a.txt', by: sessions },
      { path: 'c.txt', by: [second] },
    ],
    check: 'test -f c.txt',
  });
  // Without a terminal host it can't run; its terminal is tested elsewhere.
  await call('check', { group: request.id });
  const checks = async () => (await compare()).attempts.map(({ check }) => check);
  const ended = { state: 'ended', isOld: false };
  await expect.poll(checks, { timeout: 60_000 }).toMatchObject([ended, ended]);
  page.received.length = 0;
  writeFileSync(join(a?.path ?? '', 'a.txt'), 'later\n');
  // The page is notified of files also after a check.
  await page.push(AREA);
  await expect.poll(async () => (await checks())[0], { timeout: 60_000 }).toMatchObject({ isOld: true });

  await page.request({ type: 'feed.open', channel: 8, feed: 'review', about: { session: first } });
  const state = (scope: object) => page.call('review', 8, { type: 'state', scope });
  expect(await state({ since: 'attempt' })).toMatchObject({ files: [{ path: 'a.txt' }] });
  expect(await state({ since: 'attempt', other: second })).toMatchObject({
    files: [{ path: 'a.txt' }, { path: 'c.txt', state: 'deleted' }],
  });
  expect(await state({ since: 'attempt', other: project })).toMatchObject({ missing: expect.any(String) });
});

test('B40 a file or a change of another attempt is taken with undo, and choosing one archives the others', async () => {
  const { call, page, ready, request, sessions, group } = await started(3);
  const [a, b, c] = await ready();
  const [first = '', second = ''] = sessions;
  const read = (name: string) => readFileSync(join(a?.path ?? '', name), 'utf8');
  writeFileSync(join(a?.path ?? '', 'b.txt'), 'one\ntwo\nthree\nfour\n');
  writeFileSync(join(b?.path ?? '', 'b.txt'), 'zero\none\ntwo\nthree\n');
  writeFileSync(join(b?.path ?? '', 'new.txt'), 'new\n');
  for (const session of sessions)
    await expect.poll(() => receivedBy(session).length, { timeout: 60_000 }).toBe(1);
  await page.request({ type: 'feed.open', channel: 8, feed: 'review', about: { session: first } });
  const scope = { since: 'attempt', other: second };
  const review = (type: string, input: object) => page.call('review', 8, { type, ...input });
  const { undo } = (await review('revert', { scope, path: 'new.txt' })) as { undo: string };
  expect(read('new.txt')).toBe('new\n');
  await review('undo', { undo });
  expect(existsSync(join(a?.path ?? '', 'new.txt'))).toBe(false);
  const { hunks } = (await review('diff', { scope, path: 'b.txt' })) as { hunks: { id: string }[] };
  await review('revert', { scope, path: 'b.txt', hunk: hunks[0]?.id });
  expect(['zero\none\ntwo\nthree\nfour\n', 'zero\none\ntwo\nthree\n']).toContain(read('b.txt'));

  await call('choose', { group: request.id, session: first });
  expect((await group())?.chosen).toBe(first);
  const { deck } = await page.welcome();
  const states = [a, b, c].map((row) => deck.workspaces?.find(({ id }) => id === row?.id)?.state);
  expect(states).toEqual(['ready', 'archived', 'archived']);
  expect(sessions.map((id) => deck.sessions.find((row) => row.id === id)?.archived)).toEqual([
    false,
    true,
    true,
  ]);
  // The archived ones can still be compared, and nothing is lost.
  const { files } = (await review('state', { scope })) as { files: { path: string }[] };
  expect(files.map(({ path }) => path)).toContain('new.txt');
  await page.request({ type: 'feed.open', channel: 9, feed: 'workspaces', about: { project: a?.project } });
  await page.call('workspaces', 9, { type: 'restore', workspace: b?.id });
  expect(readFileSync(join(b?.path ?? '', 'new.txt'), 'utf8')).toBe('new\n');
});

test('B37 refuses what cannot start before anything is created', async () => {
  const { call, project, page, ready } = await started(2);
  await ready();
  const attempt = (changes = {}) => ({
    session: randomUUID(),
    workspace: randomUUID(),
    agent: 'tester',
    ...changes,
  });
  const start = (attempts: object[], base?: string) =>
    call('start', {
      id: randomUUID(),
      prompt: { kind: 'prompt.send', id: randomUUID(), text: 'x' },
      attempts,
      ...(base === undefined ? {} : { base }),
    });
  const before = (await page.welcome()).deck;
  await expect(start([attempt(), attempt({ agent: 'nobody' })])).rejects.toMatchObject({
    code: 'AGENT_UNAVAILABLE',
  });
  await expect(start([attempt(), attempt()], 'nothing-like-it')).rejects.toMatchObject({
    code: 'GIT_FAILED',
  });
  await expect(start([attempt()])).rejects.toMatchObject({ code: 'INVALID_MESSAGE' });
  await expect(start(Array.from({ length: 7 }, () => attempt()))).rejects.toMatchObject({
    code: 'INVALID_MESSAGE',
  });
  const one = attempt();
  await expect(start([one, one])).rejects.toMatchObject({ code: 'INVALID_MESSAGE' });
  await expect(
    start([attempt(), attempt({ agent: 'claude', mode: 'bypassPermissions' })]),
  ).rejects.toMatchObject({
    code: 'CONFIRMATION_NEEDED',
  });
  const { deck } = await page.welcome();
  expect(deck.workspaces).toHaveLength(before.workspaces?.length ?? 0);
  expect(deck.sessions.filter((row) => row.project === project)).toHaveLength(before.sessions.length);
});
