/** Sessions in workspaces, through a real server with a fake host (B1, B3, B19, B32, B35, B61). */
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { dataDirectory } from '@tugdeck/local/data-directory';
import type { DeckMessage } from '@tugdeck/protocol/wire/deck';
import { FEED } from '@tugdeck/protocol/wire/frames';
import type { HostMessage } from '@tugdeck/protocol/wire/host-link';
import type { WorkspaceRequest } from '@tugdeck/protocol/workspaces/workspace-request';
import { openStore } from '@tugdeck/store/store';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  type GitWorld,
  gitWorld,
  repositoryAt,
  type TestRepository,
} from '../../machine/test/git-fixture.ts';
import { findServer, requestServer } from '../src/control/control-client.ts';
import { pageWithSession, prompt, signIn, TestPage, type TestPlace, testPlace } from './test-server.ts';

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
  repository.commit('one', { 'a.txt': 'a\n' });
});
afterEach(() => place.clear());

const environment = () => ({ PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '' });

async function callControl(request: WorkspaceRequest) {
  const server = findServer(dataDirectory(place.root).ledger);
  if (!server) throw new Error('no server');
  const message = {
    type: 'workspaces',
    directory: place.project,
    environment: environment(),
    request,
  } as const;
  const answer = await requestServer(server, message, 60_000);
  if (answer.type !== 'workspaces') throw new Error(answer.type);
  return answer.answer;
}

const hostConfig = (session: string) =>
  JSON.parse(readFileSync(join(place.root, 'sessions', session, 'fake-config.json'), 'utf8'));
const startsOf = (session: string) =>
  readFileSync(join(place.root, 'sessions', session, 'fake-starts'), 'utf8')
    .trim()
    .split('\n').length;
const isReceipt = (id: string) => (message: HostMessage) =>
  message.type === 'receipt' && message.command === id;
const isListed = (id: string, state: string) => (message: DeckMessage) =>
  message.type === 'deck' &&
  message.deck.workspaces?.some((row) => row.id === id && row.state === state) === true;

test('D16 the deck has the branch of a project and of a workspace, and follows them when a turn ends', async () => {
  const server = await place.start();
  const { page, project, session } = await pageWithSession(place, server);
  const hasBranch = (name: string) => (message: DeckMessage) =>
    (message.type === 'welcome' || message.type === 'deck') &&
    message.deck.projects.some((row) => row.id === project && row.branch === name);
  await page.deckMessage(hasBranch('main'));
  repository.git('switch', '-q', '-c', 'search');
  await page.request({ type: 'channel.open', channel: 2, session });
  page.send(FEED.conversationIn, 2, prompt('hello'));
  await page.deckMessage(hasBranch('search'));
  const [inside, workspace] = [randomUUID(), randomUUID()];
  const create = { id: workspace, create: { title: 'Fix the login' } };
  await page.request({
    type: 'session.create',
    session: inside,
    project,
    agent: 'tester',
    workspace: create,
  });
  await page.deckMessage(isListed(workspace, 'ready'));
  const rowIn = (message: DeckMessage) =>
    message.type === 'deck' ? message.deck.workspaces?.find((row) => row.id === workspace) : undefined;
  const ready = rowIn(await page.deckMessage((message) => rowIn(message)?.state === 'ready'));
  expect(ready?.branch).toContain('fix-the-login');
  repositoryAt(ready?.path ?? '', false).git('switch', '-q', '-c', 'elsewhere');
  await page.request({ type: 'channel.open', channel: 3, session: inside });
  page.send(FEED.conversationIn, 3, prompt('hello'));
  await page.deckMessage((message) => rowIn(message)?.branch === 'elsewhere');
});

test('B1 B3 B19 a prompt waits for the new workspace, is sent once, and the agent works there', async () => {
  const server = await place.start({ config: { workspaces: { environment: { PORT: '{port}' } } } });
  const { page, project } = await pageWithSession(place, server);
  const [session, workspace, id] = [randomUUID(), randomUUID(), randomUUID()];
  const create = { id: workspace, create: { title: 'Fix the login' } };
  await page.request({ type: 'session.create', session, project, agent: 'tester', workspace: create });
  await page.request({ type: 'channel.open', channel: 2, session });
  page.send(FEED.conversationIn, 2, prompt('hello', id));
  page.send(FEED.conversationIn, 2, prompt('hello', id));
  await page.hostMessage(2, isReceipt(id));
  await page.deckMessage(isListed(workspace, 'ready'));
  const { deck } = await page.welcome();
  const row = deck.workspaces?.find((one) => one.id === workspace);
  expect(row).toMatchObject({ name: 'fix-the-login', project, state: 'ready' });
  expect(deck.sessions.find((one) => one.id === session)).toMatchObject({ project, workspace });
  const config = hostConfig(session);
  expect(config.directory).toBe(row?.path);
  expect(readFileSync(join(config.directory, 'a.txt'), 'utf8')).toBe('a\n');
  expect(config.environment).toMatchObject({
    TUGDECK_WORKSPACE: 'fix-the-login',
    TUGDECK_WORKSPACE_PATH: row?.path,
    TUGDECK_ROOT_PATH: realpathSync(place.project),
    TUGDECK_BRANCH: row?.branch,
    TUGDECK_WORKSPACE_PORT: String(row?.port),
    TUGDECK_WORKSPACE_PORT_9: String((row?.port ?? 0) + 9),
    PORT: String(row?.port),
  });
  expect(startsOf(session)).toBe(1);
  const changes = JSON.parse(
    readFileSync(join(place.root, 'sessions', session, 'fake-changes.json'), 'utf8'),
  );
  expect(changes).toHaveLength(1);
});

/** Messages that the fake host of a session received; undefined while it has none. */
const receivedBy = (session: string): unknown[] | undefined => {
  const file = join(place.root, 'sessions', session, 'fake-changes.json');
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
};

test('B1 B2 B3 B81 a session without a message moves to a new workspace with it, and a closed page loses nothing', async () => {
  const server = await place.start();
  const { page, project } = await pageWithSession(place, server);
  const [session, workspace, id] = [randomUUID(), randomUUID(), randomUUID()];
  await page.request({ type: 'session.create', session, project, agent: 'tester', later: true });
  // The agent was started while the user wrote.
  await page.request({ type: 'channel.open', channel: 2, session });
  page.send(FEED.conversationIn, 2, { type: 'wake' });
  await expect.poll(() => existsSync(join(place.root, 'sessions', session, 'fake-config.json'))).toBe(true);
  expect(hostConfig(session).directory).toBe(realpathSync(place.project));
  expect(existsSync(join(place.root, 'worktrees'))).toBe(false);

  await page.request({
    type: 'session.place',
    session,
    workspace: { id: workspace, create: { title: 'Fix the login' } },
    prompt: { kind: 'prompt.send', id, text: 'Fix the login' },
  });
  await page.deckMessage(
    (message) => message.type === 'session' && message.row.id === session && message.row.pending === true,
  );
  await page.close();
  await expect.poll(() => receivedBy(session)?.length, { timeout: 20_000 }).toBe(1);
  expect(hostConfig(session).directory).toContain('/worktrees/');
  expect(hostConfig(session).environment).toMatchObject({ TUGDECK_WORKSPACE: 'fix-the-login' });
  const next = await TestPage.open(server, await signIn((await server.add(place.project, {})).url));
  const row = (await next.welcome()).deck.sessions.find((one) => one.id === session);
  expect(row).toMatchObject({ workspace, project });
  expect(row?.pending).toBeUndefined();
  // One with messages stays where it is.
  expect(await next.request({ type: 'session.place', session })).toMatchObject({ code: 'INVALID_MESSAGE' });
});

test('B3 the next server delivers a first message that an earlier one accepted, once', async () => {
  const first = await place.start();
  const { page, project } = await pageWithSession(place, first);
  const [session, workspace, id] = [randomUUID(), randomUUID(), randomUUID()];
  await page.request({ type: 'session.create', session, project, agent: 'tester', later: true });
  await page.request({
    type: 'session.place',
    session,
    workspace: { id: workspace, create: { title: 'work' } },
    prompt: { kind: 'prompt.send', id, text: 'work' },
  });
  const kept = readdirSync(join(place.root, 'run', 'first-prompts'));
  await first.close();
  // As after a kill: the message was accepted, and no host has it yet.
  mkdirSync(join(place.root, 'run', 'first-prompts'), { recursive: true });
  const file = join(place.root, 'run', 'first-prompts', `${session}.json`);
  expect(kept).toEqual([`${session}.json`]);
  const command = { kind: 'prompt.send', id, text: 'work' };
  writeFileSync(file, JSON.stringify(command));
  const second = await place.start();
  await expect.poll(() => existsSync(file), { timeout: 20_000 }).toBe(false);
  expect(receivedBy(session)).toHaveLength(1);
  await second.close();
});

test('B12 B84 a first message whose workspace cannot be created comes back as the draft, and can start elsewhere', async () => {
  const { page, project } = await pageWithSession(place, await place.start());
  const [session, workspace] = [randomUUID(), randomUUID()];
  await page.request({ type: 'session.create', session, project, agent: 'tester', later: true });
  await page.request({
    type: 'session.place',
    session,
    workspace: { id: workspace, create: { base: 'nothing-like-it' } },
    prompt: { kind: 'prompt.send', id: randomUUID(), text: 'Fix it' },
  });
  await page.deckMessage(isListed(workspace, 'failed'));
  await expect.poll(async () => (await page.welcome()).drafts[session]).toBe('Fix it');
  await page.request({ type: 'session.place', session });
  const { deck } = await page.welcome();
  expect(deck.sessions.find((one) => one.id === session)?.workspace).toBeUndefined();
  expect(deck.workspaces).toEqual([]);
});

test('B2 a session without a workspace creates nothing', async () => {
  await pageWithSession(place, await place.start());
  expect(existsSync(join(place.root, 'worktrees'))).toBe(false);
});

test('B3 a prompt fails with the reason if its workspace cannot be created', async () => {
  const { page, project } = await pageWithSession(place, await place.start());
  const [session, id] = [randomUUID(), randomUUID()];
  const create = { id: randomUUID(), create: { base: 'nothing-like-it' } };
  await page.request({ type: 'session.create', session, project, agent: 'tester', workspace: create });
  await page.request({ type: 'channel.open', channel: 2, session });
  page.send(FEED.conversationIn, 2, prompt('hello', id));
  const answer = await page.hostMessage(2, ({ type }) => type === 'error');
  expect(answer).toMatchObject({
    code: 'WORKSPACE_MISSING',
    message: expect.stringContaining('was not found'),
  });
});

test('B1 files and git of a workspace open under its id', async () => {
  const { page, project } = await pageWithSession(place, await place.start());
  const { rows } = await callControl({ act: 'create', spec: { title: 'work' } });
  const [row] = rows;
  writeFileSync(join(row?.path ?? '', 'a.txt'), 'changed\n');
  await page.request({ type: 'feed.open', channel: 5, feed: 'git', about: { project: row?.id } });
  const status = (await page.call('git', 5, { type: 'status' })) as {
    branch: string;
    files: { path: string }[];
  };
  expect(status).toMatchObject({ branch: row?.branch, files: [{ path: 'a.txt' }] });
  await page.request({ type: 'feed.open', channel: 6, feed: 'git', about: { project } });
  expect(await page.call('git', 6, { type: 'status' })).toMatchObject({ branch: 'main', files: [] });
});

test('B5 B60 the page creates, inspects, archives and restores a workspace of its project', async () => {
  const { page, project } = await pageWithSession(place, await place.start());
  await page.request({ type: 'feed.open', channel: 7, feed: 'workspaces', about: { project } });
  const { id } = (await page.call('workspaces', 7, { type: 'create', title: 'From the page' })) as {
    id: string;
  };
  await page.deckMessage(isListed(id, 'ready'));
  expect(await page.call('workspaces', 7, { type: 'contents', workspace: id })).toMatchObject({ changed: 0 });
  await page.call('workspaces', 7, { type: 'archive', workspace: id });
  await page.deckMessage(isListed(id, 'archived'));
  expect(await page.call('workspaces', 7, { type: 'sizes' })).toMatchObject({ sizes: [{ id, worktree: 0 }] });
  page.received.length = 0;
  await page.call('workspaces', 7, { type: 'restore', workspace: id });
  await page.deckMessage(isListed(id, 'ready'));
  await expect(page.call('workspaces', 7, { type: 'forget', workspace: id })).rejects.toMatchObject({
    code: 'NOT_CONFIRMED',
  });
});

test('B61 archiving waits for a working agent, ends an idle one, and its session says so', async () => {
  const { page, project } = await pageWithSession(place, await place.start());
  const [session, workspace] = [randomUUID(), randomUUID()];
  const where = { id: workspace, create: { title: 'work' } };
  await page.request({ type: 'session.create', session, project, agent: 'tester', workspace: where });
  await page.request({ type: 'channel.open', channel: 2, session });
  const sendPrompt = async (text: string) => {
    const id = randomUUID();
    page.send(FEED.conversationIn, 2, prompt(text, id));
    return page.hostMessage(2, (message) => isReceipt(id)(message) || message.type === 'error');
  };
  await sendPrompt('work');
  await page.deckMessage(
    (message) =>
      message.type === 'session' && message.row.id === session && message.row.summary?.turn === 'running',
  );
  await expect(callControl({ act: 'archive', name: 'work' })).rejects.toMatchObject({
    code: 'WORKSPACE_BUSY',
  });
  const cancel = randomUUID();
  page.received.length = 0;
  page.send(FEED.conversationIn, 2, { type: 'command', command: { kind: 'turn.cancel', id: cancel } });
  await page.hostMessage(2, isReceipt(cancel));
  await page.deckMessage(
    (message) =>
      message.type === 'session' && message.row.id === session && message.row.summary?.turn === 'idle',
  );
  expect((await callControl({ act: 'contents', name: 'work' })).contents).toMatchObject({
    agents: 1,
    terminals: 0,
  });
  const { rows } = await callControl({ act: 'archive', name: 'work' });
  expect(rows).toMatchObject([{ state: 'archived' }]);
  page.received.length = 0;
  expect(await sendPrompt('again')).toMatchObject({
    code: 'WORKSPACE_MISSING',
    message: 'This workspace is archived.',
  });
  await callControl({ act: 'restore', name: 'work' });
  page.received.length = 0;
  expect(await sendPrompt('again')).toMatchObject({ type: 'receipt' });
});

test('B32 a workspace with other agent configuration is not trusted until the user has seen it', async () => {
  const server = await place.start();
  const { page, project } = await pageWithSession(place, server);
  repository.git('checkout', '-q', '-b', 'hooks');
  mkdirSync(join(place.project, '.claude'));
  repository.commit('hooks', {
    '.claude/settings.json': '{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"touch /tmp/x"}]}]}}',
  });
  repository.git('checkout', '-q', 'main');
  const [session, workspace] = [randomUUID(), randomUUID()];
  const where = { id: workspace, create: { title: 'work', base: 'hooks' } };
  await page.request({ type: 'session.create', session, project, agent: 'tester', workspace: where });
  await page.request({ type: 'channel.open', channel: 2, session });
  page.send(FEED.conversationIn, 2, prompt('hello'));
  expect(await page.hostMessage(2, ({ type }) => type === 'error')).toMatchObject({
    code: 'PROJECT_UNTRUSTED',
  });
  await page.request({ type: 'project.trust', project: workspace, trust: 'yes' });
  const id = randomUUID();
  page.send(FEED.conversationIn, 2, prompt('hello', id));
  await page.hostMessage(2, isReceipt(id));
});

test('B35 a worktree that was a project becomes a workspace with the same id, sessions and trust', async () => {
  const home = join(place.root, 'worktrees', 'shop-12345678');
  const first = await place.start();
  const { page, session } = await pageWithSession(place, first);
  mkdirSync(home, { recursive: true });
  repository.git('worktree', 'add', '-q', '-b', 'topic', join(home, 'topic'));
  const { url, project: old } = await first.add(join(home, 'topic'), {});
  const other = randomUUID();
  const visitor = await TestPage.open(first, await signIn(url));
  await visitor.welcome();
  await visitor.request({ type: 'session.create', session: other, project: old, agent: 'tester' });
  const { deck: before } = await page.welcome();
  const project = before.sessions.find((row) => row.id === session)?.project;
  await first.close();

  const second = await place.start();
  const next = await TestPage.open(second, await signIn((await second.add(place.project, {})).url));
  const { deck } = await next.welcome();
  expect(deck.projects.map(({ id }) => id)).toEqual([project]);
  expect(deck.workspaces).toMatchObject([
    { id: old, project, name: 'topic', branch: 'topic', state: 'ready' },
  ]);
  expect(deck.sessions.find((row) => row.id === other)).toMatchObject({ project, workspace: old });
  expect(repository.git('worktree', 'list', '--porcelain')).toContain(`:${old}`);
  // The folder is not offered as a project a second time.
  expect(await next.request({ type: 'project.add', path: join(home, 'topic') })).toMatchObject({
    code: 'PROJECT_DUPLICATE',
  });
  await second.close();
  const store = openStore(dataDirectory(place.root).database);
  expect(store.workspaces.get(old)).toMatchObject({ madeBranch: false });
  store.close();
});
