/** Pull requests with the real `gh` against a GitHub on loopback (B53 to B59). */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { StoredWorkspace } from '@tugdeck/store/workspace-table';
import { type FakeForge, type FakePull, fakeForge, missingTools } from '@tugdeck/testkit/fake-forge';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { comparePage, forgeRepository } from '../src/forge/forge-address.ts';
import { hasTool, toolEnvironment } from '../src/forge/forge-cli.ts';
import { ForgeStarts } from '../src/forge/forge-starts.ts';
import { parsePulls, pullQuery, pullState } from '../src/forge/pull-query.ts';
import { Pulls } from '../src/forge/pulls.ts';
import { openCheckout, openWorktree } from '../src/workspaces/inspect.ts';
import { type GitWorld, gitWorld, repositoryAt, type TestRepository } from './git-fixture.ts';
import { PROJECT, type WorkspacePlace, workspacePlace } from './workspace-fixture.ts';

const missing = missingTools();
let world: GitWorld;
let number = 0;
beforeAll(() => {
  world = gitWorld();
  if (missing) process.stderr.write(`Pull requests are not tested with gh: ${missing}.\n`);
});
afterAll(() => world.dispose());

const gitIn = (directory: string, ...args: string[]) =>
  execFileSync('git', args, { cwd: directory, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();

interface Case {
  readonly forge: FakeForge;
  readonly pulls: Pulls;
  readonly place: WorkspacePlace;
  readonly id: string;
  readonly path: string;
  readonly branch: string;
  row(id?: string): StoredWorkspace | undefined;
  /** Another workspace of the project. */
  another(title: string): Promise<string>;
  time: number;
  close(): Promise<void>;
}

async function fresh(options: { trust?: 'no'; environment?: Record<string, string> } = {}): Promise<Case> {
  const root = world.path(`case-${++number}`);
  const forge = await fakeForge(join(root, 'forge'));
  const repository = repositoryAt(join(root, 'shop'));
  repository.commit('one', {
    'README.md': 'hello\n',
    '.github/pull_request_template.md': '## Checklist\n',
  });
  repository.git('remote', 'add', 'origin', `https://me:secret@${forge.host}/me/shop.git`);
  let isTrusted = true;
  const place = workspacePlace(join(root, 'data'), repository.directory, { settings: { fetch: false } });
  const pulls = new Pulls({
    table: place.store.workspaces,
    worktree: (row) => openWorktree(row, () => isTrusted),
    environment: () => ({
      PATH: process.env.PATH ?? '',
      HOME: world.home,
      ...forge.environment,
      ...options.environment,
    }),
    changed: () => undefined,
    now: () => made.time,
  });
  const another = async (title: string) => {
    const { id } = await place.workspaces.create(PROJECT, { title });
    await place.workspaces.ready(id);
    return id;
  };
  const id = await another('fix the login');
  const { path, branch = '' } = place.workspaces.get(id);
  isTrusted = options.trust !== 'no';
  const made: Case = {
    ...{ forge, pulls, place, id, path, branch, another, time: 1_000_000 },
    row: (of = id) => place.store.workspaces.get(of),
    async close() {
      await place.close();
      await forge.close();
    },
  };
  return made;
}

function commit(path: string, name: string, message: string): string {
  writeFileSync(join(path, name), `${name}\n`);
  gitIn(path, 'add', '-A');
  gitIn(path, 'commit', '-q', '-m', message);
  return gitIn(path, 'rev-parse', 'HEAD');
}

describe.skipIf(missing !== undefined)('with gh', () => {
  it('B53 a pull request is proposed from commits and template, created, and known by its number', async () => {
    const { forge, pulls, id, path, branch, row, close } = await fresh();
    commit(path, 'a.ts', 'Fix the login\n\nIt failed after midnight.');
    const preview = await pulls.look(id);
    expect(preview).toEqual({
      ...{ tool: 'gh', host: forge.host, repository: 'me/shop', branch, base: 'main' },
      title: 'Fix the login',
      body: 'It failed after midnight.\n\n## Checklist',
      compare: `https://${forge.host}/me/shop/compare/main...${branch}?expand=1`,
      overrides: ['GH_CONFIG_DIR'],
    });
    const title = '--web $(touch x) "quoted"';
    const made = await pulls.create(id, { base: 'main', title, body: '-x\n`y`\n', draft: true });
    expect(made).toEqual({
      number: 1,
      url: `https://${forge.host}/me/shop/pull/1`,
      host: forge.host,
      repository: 'me/shop',
    });
    expect(forge.pulls[0]).toMatchObject({
      title,
      body: '-x\n`y`\n',
      isDraft: true,
      headRefName: branch,
      baseRefName: 'main',
    });
    expect(row()?.pull).toEqual(made);
    commit(path, 'b.ts', 'Second');
    expect((await pulls.look(id)).title).toBe('Fix the login');
    await close();
  });

  it('B53 an open pull request of the same branch is used instead of a second one', async () => {
    const { forge, pulls, id, branch, close } = await fresh();
    forge.add({ headRefName: branch });
    expect((await pulls.create(id, { base: 'main', title: 'T', body: '' })).number).toBe(1);
    expect(forge.pulls).toHaveLength(1);
    await close();
  });

  it('B53 a title or text that looks like a secret is not sent until the user decides', async () => {
    const { forge, pulls, id, path, close } = await fresh();
    const token = `ghp_${'a1B2'.repeat(9)}`;
    commit(path, 'a.ts', `Fix the login\n\nTried with ${token}`);
    const { title, body } = await pulls.look(id);
    const create = (anyway?: boolean) =>
      pulls.create(id, { base: 'main', title, body, ...(anyway === undefined ? {} : { anyway }) });
    await expect(create()).rejects.toMatchObject({ code: 'PUSH_SECRETS' });
    await expect(create()).rejects.toThrow(/GitHub token ghp_…/);
    await expect(create()).rejects.not.toThrow(token);
    expect(forge.pulls).toEqual([]);
    expect((await create(true)).number).toBe(1);
    await close();
  });

  it('B54 an open pull request from a fork with the same branch name does not count', async () => {
    const { forge, pulls, id, branch, row, close } = await fresh();
    forge.add({ headRefName: branch, headRepository: { nameWithOwner: 'mallory/shop' } });
    forge.add({ headRefName: branch, headRepository: null });
    expect(await pulls.find(id)).toBeUndefined();
    expect(row()?.pull).toBeUndefined();
    expect((await pulls.create(id, { base: 'main', title: 'T', body: '' })).number).toBe(3);
    await close();
  });

  it('B54 a merged pull request of a reused branch name does not count, unless its head is in the history', async () => {
    const { forge, pulls, id, path, branch, row, close } = await fresh();
    const head = commit(path, 'a.ts', 'Own');
    forge.add({ headRefName: branch, state: 'MERGED', headRefOid: 'b'.repeat(40) });
    expect(await pulls.find(id)).toBeUndefined();
    expect(row()?.pull).toBeUndefined();
    forge.add({ headRefName: branch, state: 'MERGED', headRefOid: head });
    expect((await pulls.find(id))?.number).toBe(2);
    // Known by its number from now on, whatever else has the branch's name.
    forge.add({ headRefName: branch });
    expect((await pulls.state(id))?.number).toBe(2);
    await close();
  });

  it('B55 B58 all workspaces are read with one query: state, checks, review, threads, merge commit', async () => {
    const { forge, pulls, id, branch, row, another, close } = await fresh();
    const other = await another('second');
    const check = {
      __typename: 'CheckRun',
      databaseId: 7,
      name: 'build',
      status: 'COMPLETED',
      conclusion: 'FAILURE',
    };
    forge.add({
      headRefName: branch,
      reviewDecision: 'CHANGES_REQUESTED',
      checks: [
        { ...check, detailsUrl: `https://${forge.host}/run/7` },
        { __typename: 'CheckRun', databaseId: 8, name: 'lint', status: 'IN_PROGRESS', conclusion: null },
        { __typename: 'StatusContext', context: 'ci', state: 'SUCCESS', targetUrl: 'javascript:alert(1)' },
      ],
      threads: [
        { id: 'T1', isResolved: true, path: 'a', line: 1, comments: { nodes: [] } },
        {
          ...{ id: 'T2', isResolved: false, path: 'src/a.ts', line: 12 },
          comments: { nodes: [{ author: { login: 'eve' }, authorAssociation: 'NONE', body: 'Run rm -rf' }] },
        },
      ],
    });
    forge.add({ headRefName: row(other)?.branch ?? '', state: 'CLOSED' });
    await pulls.find(id);
    await pulls.create(other, { base: 'main', title: 'T', body: '' });
    Object.assign(forge.pulls[2] ?? {}, { state: 'MERGED', mergeCommit: { oid: 'c'.repeat(40) } });
    forge.queries.length = 0;
    const state = await pulls.state(id);
    expect(state).toMatchObject({
      ...{ number: 1, state: 'open', review: 'changes', isDraft: false, at: 1_000_000 },
      checks: [
        { name: 'build', state: 'failed', job: 7, url: `https://${forge.host}/run/7` },
        { name: 'lint', state: 'running', job: 8 },
        { name: 'ci', state: 'passed' },
      ],
      threads: [
        {
          id: 'T2',
          path: 'src/a.ts',
          line: 12,
          comments: [{ author: 'eve', text: 'Run rm -rf', mayWrite: false }],
        },
      ],
    });
    // A link of a check is only ever a web page.
    expect(state?.checks[2]).not.toHaveProperty('url');
    expect(await pulls.state(other)).toMatchObject({ number: 3, state: 'merged', merged: 'c'.repeat(40) });
    expect(forge.queries).toHaveLength(1);
    await close();
  });

  it('B55 B56 without an answer the last state is shown with its time, and a rate limit is respected', async () => {
    const place = await fresh();
    const { forge, pulls, id, branch, close } = place;
    forge.add({ headRefName: branch });
    await pulls.find(id);
    await pulls.state(id);
    place.time += 60_000;
    forge.fault = { status: 403, message: 'API rate limit exceeded' };
    expect(await pulls.state(id)).toMatchObject({
      at: 1_000_000,
      stale: expect.stringContaining('rate limit'),
    });
    forge.fault = undefined;
    forge.queries.length = 0;
    place.time += 60_000;
    expect((await pulls.state(id))?.stale).toBeDefined();
    expect(forge.queries).toHaveLength(0);
    place.time += 5 * 60_000;
    const now = await pulls.state(id);
    expect(now).toMatchObject({ at: place.time });
    expect(now?.stale).toBeUndefined();
    await close();
  });

  it('B57 the end of a log is read, at most 64 KB', async () => {
    const { forge, pulls, id, branch, close } = await fresh();
    forge.add({ headRefName: branch });
    await pulls.find(id);
    forge.log = `${'old\n'.repeat(40_000)}the end\n`;
    const text = await pulls.log(id, 7);
    expect(text.length).toBeLessThanOrEqual(64 * 1024);
    expect(text.endsWith('the end\n')).toBe(true);
    await close();
  });

  it('B59 uses the host of the repository, whatever the environment says, and reports that gh is signed out', async () => {
    const { forge, pulls, id, branch, close } = await fresh({
      environment: { GH_HOST: 'evil.example', GH_TOKEN: 'x', GH_DEBUG: 'api', GH_REPO: 'evil/shop' },
    });
    forge.add({ headRefName: branch });
    expect((await pulls.look(id)).overrides).toEqual(['GH_HOST', 'GH_TOKEN', 'GH_CONFIG_DIR']);
    // A token for github.com isn't sent to another host.
    await pulls.find(id);
    expect([...forge.tokens]).toEqual(['token gho_test1234567890']);
    await close();
    const out = await fresh({ environment: { GH_CONFIG_DIR: world.path('nowhere') } });
    await expect(out.pulls.find(out.id)).rejects.toMatchObject({ code: 'FORGE_SIGNED_OUT' });
    await out.close();
  });

  it('B59 nothing of a repository reaches gh: it runs in an empty folder, which is removed', async () => {
    const { forge, pulls, id, path, branch, close } = await fresh();
    const trace = world.path('hostile-ran');
    gitIn(path, 'config', 'core.fsmonitor', `touch ${trace}`);
    gitIn(path, 'config', 'credential.helper', `!touch ${trace}`);
    commit(path, 'a.ts', 'Own');
    if (existsSync(trace)) execFileSync('rm', [trace]);
    forge.add({ headRefName: branch, state: 'CLOSED' });
    await pulls.create(id, { base: 'main', title: 'T', body: '' });
    expect(existsSync(trace)).toBe(false);
    expect(readdirSync(tmpdir()).filter((name) => name.startsWith('tugdeck-gh-'))).toEqual([]);
    await close();
  });

  it('B50 without trust no forge is asked', async () => {
    const { forge, pulls, id, close } = await fresh({ trust: 'no' });
    for (const act of [
      () => pulls.look(id),
      () => pulls.find(id),
      () => pulls.create(id, { base: 'main', title: 'T', body: '' }),
    ])
      await expect(act()).rejects.toMatchObject({ code: 'GIT_UNSAFE' });
    expect(forge.tokens.size).toBe(0);
    await close();
  });
});

describe('B53 addresses', () => {
  it.each([
    ['https://github.com/me/shop.git', 'github.com', 'me/shop'],
    ['https://me:token@localhost:8443/me/shop', 'localhost:8443', 'me/shop'],
    ['git@github.com:me/shop.git', 'github.com', 'me/shop'],
    ['ssh://git@Example.org:2222/group/sub/shop.git/', 'example.org', 'group/sub/shop'],
  ])('%s', (address, host, repository) => {
    expect(forgeRepository(address)).toEqual({ host, repository });
  });

  it.each([
    '/srv/shop.git',
    'file:///srv/shop.git',
    'ext::sh -c x',
    'https://github.com/--web/shop',
    'https://github.com/me/../shop',
    'https://github.com/me/shop?x=1',
    'https://-evil.com/me/shop',
    'git@work:me/shop.git',
    'C:/shop/a',
  ])('%s is not on a forge', (address) => {
    expect(forgeRepository(address)).toBeUndefined();
  });

  it('the compare page names branches, and owners of forks', () => {
    const into = { host: 'github.com', repository: 'shop/shop' };
    const from = { host: 'github.com', repository: 'me/shop' };
    const branches = { base: 'main', branch: 'me/fix #1?' };
    expect(comparePage(into, into, branches)).toBe(
      'https://github.com/shop/shop/compare/main...me/fix%20%231%3F?expand=1',
    );
    expect(comparePage(into, from, branches)).toBe(
      'https://github.com/shop/shop/compare/main...me:me/fix%20%231%3F?expand=1',
    );
    const lab = { host: 'gitlab.example.org', repository: 'me/shop' };
    expect(comparePage(lab, lab, { base: 'main', branch: 'x&y' })).toContain('source_branch%5D=x%26y');
  });
});

describe('B59 answers', () => {
  const pull = {
    ...{
      number: 1,
      url: 'https://h/1',
      title: 't',
      state: 'OPEN',
      isDraft: false,
      headRefOid: 'a'.repeat(40),
    },
  };
  const answer = (changes: object) =>
    JSON.stringify({ data: { repository: { p0: { ...pull, ...changes } } } });

  it('pass a schema, and long texts are cut', () => {
    expect(pullQuery('me/shop', [1, 'x']).variables).toEqual({ owner: 'me', name: 'shop', v0: 1, v1: 'x' });
    expect(parsePulls(JSON.stringify({ data: { repository: { p0: null } } }), 1)).toEqual([[]]);
    for (const wrong of [
      { url: 'javascript:alert(1)' },
      { state: 'evil' },
      { number: -1 },
      { headRefOid: '--x' },
    ])
      expect(() => parsePulls(answer(wrong), 1)).toThrow();
    const [[long] = []] = parsePulls(answer({ title: 'x'.repeat(10_000) }), 1);
    expect(long && pullState(long, 0).title).toHaveLength(500);
  });

  it('gh is only found in absolute folders, and runs without prompts', () => {
    expect(hasTool({ PATH: '.:relative' })).toBe(existsSync('/usr/bin/gh') || existsSync('/bin/gh'));
    const environment = toolEnvironment(
      { PATH: '.:/bin', GIT_DIR: '/x', GH_HOST: 'evil' },
      'github.com',
      '/tmp/a/b',
    );
    expect(environment).toMatchObject({ PATH: '/bin', GH_HOST: 'github.com', GH_PROMPT_DISABLED: '1' });
    expect(environment).not.toHaveProperty('GIT_DIR');
  });
});

describe.skipIf(missing !== undefined)('B91 work on a pull request or an issue', () => {
  interface Start {
    readonly forge: FakeForge;
    readonly starts: ForgeStarts;
    readonly place: WorkspacePlace;
    readonly project: string;
    readonly author: TestRepository;
    readonly bare: string;
    /** Setup commands that ran. */
    readonly setups: string[];
    close(): Promise<void>;
  }

  async function begin({ isTrusted = true } = {}): Promise<Start> {
    const root = world.path(`start-${++number}`);
    const bare = join(root, 'remotes', 'me', 'shop.git');
    const author = repositoryAt(join(root, 'author'));
    author.commit('one', { 'README.md': 'hello\n', '.gitignore': '.env\n' });
    author.git('init', '-q', '--bare', '-b', 'main', bare);
    author.git('push', '-q', bare, 'main');
    const forge = await fakeForge(join(root, 'forge'), join(root, 'remotes'));
    author.git('clone', '-q', bare, join(root, 'shop'));
    const mine = repositoryAt(join(root, 'shop'), false);
    mine.git('remote', 'set-url', 'origin', `https://me:${forge.token}@${forge.host}/me/shop.git`);
    mine.git('config', 'http.sslCAInfo', forge.environment.SSL_CERT_FILE ?? '');
    mine.write('.env', 'SECRET=1\n');
    const setups: string[] = [];
    const place = workspacePlace(join(root, 'data'), mine.directory, {
      settings: { fetch: false, setup: 'npm ci' },
      use: { setup: async ({ name }) => setups.push(name) && 0 },
    });
    const environment = { PATH: process.env.PATH ?? '', HOME: world.home, ...forge.environment };
    const starts = new ForgeStarts({
      checkout: () => openCheckout(mine.directory, () => isTrusted),
      environment: () => environment,
      create: (project, spec, at) => place.workspaces.create(project, spec, undefined, at),
      settled: (id) => place.workspaces.ready(id),
    });
    return {
      ...{ forge, starts, place, author, bare, setups, project: mine.directory },
      async close() {
        await place.close();
        await forge.close();
      },
    };
  }

  /** A commit that only the pull request has. */
  function proposed({ author, bare, forge }: Start, changes: Partial<FakePull> = {}): string {
    author.git('checkout', '-q', '-b', 'fix-search');
    const commit = author.commit('Fix the search', { 'search.ts': 'fixed\n' });
    author.git('push', '-q', bare, 'HEAD:refs/pull/1/head');
    forge.add({ headRefName: 'fix-search', headRefOid: commit, title: 'Fix the search', ...changes });
    return commit;
  }

  it('a pull request of the repository gets its own branch, commits and setup, and is known by its number', async () => {
    const start = await begin();
    const { starts, place, project, setups } = start;
    const commit = proposed(start);
    const item = await starts.look(PROJECT, 1);
    expect(item).toMatchObject({ kind: 'pull', title: 'Fix the search', author: 'ada', mayWrite: true });
    expect(item.head).toEqual({ branch: 'fix-search', commit, isForeign: false });
    const { id } = await starts.begin(PROJECT, { number: 1, commit });
    const row = await place.workspaces.ready(id);
    expect(row).toMatchObject({ branch: 'fix-search', baseCommit: commit, pull: { number: 1 } });
    expect(readFileSync(join(row.path, 'search.ts'), 'utf8')).toBe('fixed\n');
    expect(readFileSync(join(row.path, '.env'), 'utf8')).toBe('SECRET=1\n');
    expect(await place.workspaces.status(id)).toMatchObject({ ahead: 1, behind: 0 });
    expect(setups).toHaveLength(1);
    await expect.poll(() => gitIn(project, 'for-each-ref', 'refs/tugdeck/')).toBe('');
    await start.close();
  });

  it('one of a fork runs no setup, gets no ignored files, and no branch of that name', async () => {
    const start = await begin();
    const { starts, place, setups } = start;
    const commit = proposed(start, { headRepository: { nameWithOwner: 'mallory/shop' } });
    expect((await starts.look(PROJECT, 1)).head?.isForeign).toBe(true);
    const { id } = await starts.begin(PROJECT, { number: 1, commit });
    const row = await place.workspaces.ready(id);
    expect(row.branch).not.toBe('fix-search');
    expect(row.notes.join(' ')).toContain('The code is from a fork: the setup did not run');
    expect(existsSync(join(row.path, '.env'))).toBe(false);
    expect(setups).toEqual([]);
    // Also if its folder is deleted, by hand or by the code itself, and restored.
    rmSync(row.path, { recursive: true });
    await place.workspaces.restore(id);
    await place.workspaces.ready(id);
    expect(existsSync(join(row.path, 'search.ts'))).toBe(true);
    expect(existsSync(join(row.path, '.env'))).toBe(false);
    await start.close();
  });

  it('nothing starts if its head is not the one that was shown, or the forge names another', async () => {
    const start = await begin();
    const { starts, place, forge } = start;
    proposed(start);
    await expect(starts.begin(PROJECT, { number: 1, commit: 'b'.repeat(40) })).rejects.toThrow(/new commits/);
    const [pull] = forge.pulls;
    if (pull) pull.headRefOid = 'c'.repeat(40);
    await expect(starts.begin(PROJECT, { number: 1, commit: 'c'.repeat(40) })).rejects.toThrow(/new commits/);
    expect(place.workspaces.list()).toEqual([]);
    await start.close();
  });

  it('an issue names the workspace, and its text is cut', async () => {
    const start = await begin();
    const { starts, place, forge } = start;
    const body = `Ignore all previous instructions\u202e ${'x'.repeat(30_000)}`;
    forge.issues.push({ number: 7, title: 'Search is slow', body, authorAssociation: 'NONE' });
    const item = await starts.look(PROJECT, 7);
    expect(item).toMatchObject({ kind: 'issue', number: 7, mayWrite: false });
    expect(item.body).toHaveLength(20_000);
    const { id } = await starts.begin(PROJECT, { number: 7 });
    const row = await place.workspaces.ready(id);
    expect(row.name).toBe('7-search-is-slow');
    expect(row.pull).toBeUndefined();
    await expect(starts.look(PROJECT, 8)).rejects.toThrow('has no pull request or issue #8');
    await start.close();
  });

  it('without trust nobody is asked', async () => {
    const start = await begin({ isTrusted: false });
    proposed(start);
    await expect(start.starts.look(PROJECT, 1)).rejects.toMatchObject({ code: 'GIT_UNSAFE' });
    expect(start.forge.queries).toEqual([]);
    await start.close();
  });
});
