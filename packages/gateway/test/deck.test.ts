import { randomUUID } from 'node:crypto';
import { chmodSync, mkdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { resolveProjectPath } from '@tugdeck/machine/projects/project-path';
import type { Deck, DeckHead, DeckMessage } from '@tugdeck/protocol/wire/deck';
import { FEED } from '@tugdeck/protocol/wire/frames';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { RunningServer } from '../src/main.ts';
import { pageWithSession, prompt, signIn, TestPage, type TestPlace, testPlace } from './test-server.ts';

let place: TestPlace;
let server: RunningServer;

beforeEach(async () => {
  place = testPlace();
  server = await place.start();
});
afterEach(() => place.clear());

async function openPage(): Promise<{ page: TestPage; deck: Deck }> {
  const page = await TestPage.open(server, await signIn((await server.add(place.project, {})).url));
  return { page, deck: (await page.welcome()).deck };
}

const deckWith = (check: (deck: DeckHead) => boolean) => (message: DeckMessage) =>
  message.type === 'deck' && check(message.deck);

test('S4 a project is a readable directory, however its path was written', async () => {
  const { page } = await openPage();
  const target = join(place.project, 'real');
  mkdirSync(join(target, 'inner'), { recursive: true });
  symlinkSync(target, join(place.project, 'link'));
  expect(
    await page.request({ type: 'project.add', path: `${place.project}/link/../link//inner/` }),
  ).toMatchObject({
    type: 'done',
  });
  const real = realpathSync(join(target, 'inner'));
  await page.deckMessage(
    deckWith(({ projects }) => projects.some(({ path, name }) => path === real && name === 'inner')),
  );
  for (const path of [real, `${real}/`, `${place.project}/link/inner`]) {
    expect(await page.request({ type: 'project.add', path })).toMatchObject({ code: 'PROJECT_DUPLICATE' });
  }
});

test('S4 a path that is not a readable directory is refused with the reason', async () => {
  const { page } = await openPage();
  const file = join(place.project, 'file');
  writeFileSync(file, '');
  for (const path of [
    '',
    '   ',
    'relative/path',
    join(place.project, 'nothing'),
    file,
    `${file}/below`,
    '/x\0y',
  ]) {
    expect(await page.request({ type: 'project.add', path })).toMatchObject({ code: 'PROJECT_PATH_INVALID' });
  }
});

test.skipIf(process.getuid?.() === 0)('S4 an unreadable directory is refused', async () => {
  const { page } = await openPage();
  const locked = join(place.project, 'locked');
  mkdirSync(locked);
  chmodSync(locked, 0);
  expect(await page.request({ type: 'project.add', path: locked })).toMatchObject({
    code: 'PROJECT_PATH_INVALID',
  });
});

test('S4 a tilde is the home directory', async () => {
  expect(await resolveProjectPath('~')).toBe(realpathSync(homedir()));
});

test('S4 removing a project hides its sessions, and adding it again restores them', async () => {
  const { page, session, project } = await pageWithSession(place, server);
  await page.request({ type: 'project.remove', project });
  await page.deckMessage(deckWith(({ projects }) => projects.length === 0));
  expect((await page.welcome()).deck.sessions).toEqual([]);
  page.received.length = 0;
  await page.request({ type: 'project.add', path: place.project });
  expect(await page.deckMessage(deckWith(({ projects }) => projects.length > 0))).toMatchObject({
    deck: { projects: [{ id: project }] },
  });
  expect(await page.deckMessage(({ type }) => type === 'rows')).toMatchObject({ rows: [{ id: session }] });
  expect(await page.request({ type: 'project.remove', project: 'nobody' })).toMatchObject({
    code: 'PROJECT_NOT_FOUND',
  });
});

test('L2 adding a directory again finds its project and shows it', async () => {
  const first = await server.add(place.project, {});
  const page = await TestPage.open(server, await signIn(first.url));
  await page.welcome();
  expect(await page.deckMessage(({ type }) => type === 'show')).toEqual({
    type: 'show',
    project: first.project,
  });
  page.received.length = 0;
  const second = await server.add(place.project, {});
  expect(second.project).toBe(first.project);
  expect(await page.deckMessage(({ type }) => type === 'show')).toMatchObject({ project: first.project });
});

test('L9 a session gets the cleaned environment of the call that added its project', async () => {
  const { readFileSync } = await import('node:fs');
  const environment = {
    PATH: '/clone/node_modules/.bin:/usr/bin:/bin',
    OWN: 'mine',
    npm_config_x: 'y',
    NODE_OPTIONS: '--inspect',
    CLAUDECODE: '1',
  };
  const { url, project } = await server.add(place.project, environment, { trust: true });
  const page = await TestPage.open(server, await signIn(url));
  await page.welcome();
  const session = randomUUID();
  await page.request({ type: 'session.create', session, project, agent: 'tester' });
  await page.deckMessage((message) => message.type === 'session' && message.row.live);
  const config = JSON.parse(readFileSync(join(place.root, 'sessions', session, 'fake-config.json'), 'utf8'));
  expect(config.environment).toEqual({ PATH: '/usr/bin:/bin', OWN: 'mine' });
  expect(config).toMatchObject({
    session,
    directory: realpathSync(place.project),
    agent: { name: 'tester' },
  });
});

test('S5 creating a session twice with one id makes one session, started at once', async () => {
  const { page, session, project } = await pageWithSession(place, server);
  expect(await page.request({ type: 'session.create', session, project, agent: 'tester' })).toMatchObject({
    type: 'done',
  });
  await page.deckMessage((message) => message.type === 'session' && message.row.live);
  expect((await page.welcome()).deck.sessions).toHaveLength(1);
});

test('S5 a missing agent is refused with install instructions', async () => {
  await server.close();
  server = await place.start({
    config: { agent: 'claude', agents: { claude: { command: 'no-such-program' } } },
  });
  const { page, deck } = await openPage();
  const project = deck.projects[0]?.id;
  const create = { type: 'session.create', session: randomUUID(), project };
  const missing = await page.request({ ...create, agent: 'claude' });
  expect(missing).toMatchObject({ code: 'AGENT_UNAVAILABLE', hint: expect.stringContaining('npm install') });
  expect(await page.request({ ...create, agent: 'nobody' })).toMatchObject({ code: 'AGENT_UNAVAILABLE' });
  expect(deck.agents).toContainEqual(expect.objectContaining({ name: 'claude', installed: false }));
  expect((await page.welcome()).deck.sessions).toEqual([]);
});

test('L3 an unknown default agent is refused at startup', async () => {
  await server.close();
  await expect(place.start({ config: { agent: 'nobody' } })).rejects.toMatchObject({
    code: 'AGENT_UNAVAILABLE',
  });
  server = await place.start();
});

test('S5 a title is the user’s, otherwise the host’s, otherwise "New session", on every page', async () => {
  const { page, visit, session } = await pageWithSession(place, server);
  const other = await TestPage.open(server, visit);
  const { deck } = await other.welcome();
  expect(deck.sessions[0]?.title).toBe('New session');
  page.send(FEED.conversationIn, 1, prompt('Mend the fence'));
  const titled = (title: string) => (message: DeckMessage) =>
    message.type === 'session' && message.row.title === title;
  await other.deckMessage(titled('Mend the fence'));
  await page.request({ type: 'session.rename', session, title: '  My fence ' });
  await other.deckMessage(titled('My fence'));
  page.send(FEED.conversationIn, 1, prompt('And paint it'));
  await other.deckMessage((message) => message.type === 'session' && message.row.summary?.entries === 2);
  await server.close();
  server = await place.start();
  expect((await openPage()).deck.sessions[0]).toMatchObject({
    title: 'My fence',
    summary: { title: 'Mend the fence' },
  });
});

test('S5 archived state and drafts are stored', async () => {
  const { page, session } = await pageWithSession(place, server);
  await page.request({ type: 'session.archive', session, archived: true });
  await page.request({ type: 'draft.save', session, text: 'half a thought' });
  expect(await page.request({ type: 'draft.save', session: 'nobody', text: 'x' })).toMatchObject({
    code: 'SESSION_NOT_FOUND',
  });
  const { deck, drafts } = await page.welcome();
  expect(deck.sessions[0]).toMatchObject({ archived: true });
  expect(drafts).toEqual({ [session]: 'half a thought' });
});

test('D1 the layout is stored for browsers that have none', async () => {
  const { page } = await openPage();
  const layout = JSON.stringify({ version: 3, cards: [] });
  expect(await page.request({ type: 'layout.save', version: 3, layout })).toMatchObject({ type: 'done' });
  const other = await TestPage.open(server, await signIn((await server.add(place.project, {})).url));
  expect((await other.welcome()).layout).toBe(layout);
  expect(
    await page.request({ type: 'layout.save', version: 3, layout: 'x'.repeat(256 * 1024 + 1) }),
  ).toMatchObject({ code: 'INVALID_MESSAGE' });
});

test('D4 key bindings are in an editable file, and every page is notified of changes', async () => {
  const { page } = await openPage();
  const file = join(place.root, 'keys.json');
  const keysWith = (key: string | null) => (message: DeckMessage) =>
    message.type === 'keys' && message.keys['palette.open'] === key && message.fault === undefined;
  await page.request({ type: 'keys.save', keys: { 'palette.open': 'Mod+P' } });
  await page.deckMessage(keysWith('Mod+P'));
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ 'palette.open': 'Mod+P' });
  writeFileSync(file, '{"palette.open": null}');
  await page.deckMessage(keysWith(null));
  writeFileSync(file, '{"palette.open": 7}');
  await page.deckMessage(
    (message) =>
      message.type === 'keys' && message.fault !== undefined && message.keys['palette.open'] === null,
  );
  await page.request({ type: 'keys.save', keys: {} });
  await page.deckMessage((message) => message.type === 'keys' && Object.keys(message.keys).length === 0);
});

test('D13 page preferences are stored, limited, and sent to the next page', async () => {
  const { page, visit } = await pageWithSession(place, server);
  expect((await page.welcome()).choices).toEqual({});
  await page.request({ type: 'choice.save', name: 'theme', value: '"dark"' });
  const other = await TestPage.open(server, visit);
  expect((await other.welcome()).choices).toEqual({ theme: '"dark"' });
  const refused = [
    { name: '../x', value: '1' },
    { name: 'theme', value: 'x'.repeat(20_000) },
  ];
  for (const one of refused)
    expect(await page.request({ type: 'choice.save', ...one })).toMatchObject({ code: 'INVALID_MESSAGE' });
  const names = Array.from({ length: 60 }, (_, at) => `n-${'a'.repeat(at % 30)}${at < 30 ? '' : 'b'}`);
  const answers = await Promise.all(
    names.map((name) => page.request({ type: 'choice.save', name, value: '1' })),
  );
  expect(answers.filter(({ type }) => type === 'error')).toHaveLength(11);
});

test("N3 projects and session rows carry this machine's id", async () => {
  const { page, session } = await pageWithSession(place, server);
  const file = readFileSync(join(place.root, 'machine.json'), 'utf8');
  const [{ id: machine }] = JSON.parse(file).machines;
  expect((await page.welcome()).deck).toMatchObject({
    projects: [{ machine }],
    sessions: [{ id: session, machine }],
  });
  await page.request({ type: 'session.rename', session, title: 'Renamed' });
  await page.deckMessage(
    (message) =>
      message.type === 'session' && message.row.title === 'Renamed' && message.row.machine === machine,
  );
});
