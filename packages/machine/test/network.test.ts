/** Fetch, pull and push with real git (W41, B50 to B52), over files and `git http-backend` on loopback. */
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PushPreview, PushRequest } from '@tugdeck/protocol/git/network-messages';
import { secretIn } from '@tugdeck/protocol/git/secret-in';
import { gitServer } from '@tugdeck/testkit/git-server';
import { selfSigned } from '@tugdeck/testkit/self-signed';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { networkEnvironment, shellWord } from '../src/git/remotes.ts';
import { COMMIT_MARK, scanLog } from '../src/git/secret-scan.ts';
import { GitPage, type GitWorld, gitWorld, repositoryAt, type TestRepository } from './git-fixture.ts';

let world: GitWorld;
let number = 0;
beforeAll(() => {
  world = gitWorld();
});
afterAll(() => world.dispose());

interface Case {
  readonly remote: TestRepository;
  readonly mine: TestRepository;
  /** Another user's clone. */
  readonly other: TestRepository;
  readonly page: GitPage;
}

interface Options {
  readonly isTrusted?: boolean;
  readonly own?: { readonly branch: string; readonly base: string };
  readonly environment?: Readonly<Record<string, string>>;
}

function fresh({ isTrusted = true, own, environment }: Options = {}): Case {
  const root = world.path(`case-${++number}`);
  const remote = repositoryAt(join(root, 'remote', 'shop.git'), false);
  remote.git('init', '-q', '--bare');
  remote.git('config', 'http.receivepack', 'true');
  const other = repositoryAt(join(root, 'other'));
  other.commit('one', { 'README.md': 'hello\n' });
  other.git('remote', 'add', 'origin', remote.directory);
  other.git('push', '-q', '-u', 'origin', 'main');
  other.git('clone', '-q', remote.directory, join(root, 'mine'));
  const mine = repositoryAt(join(root, 'mine'), false);
  const page = new GitPage(mine.directory, join(root, 'worktrees'), isTrusted, { own, environment });
  return { remote, mine, other, page };
}

const look = (page: GitPage, branch?: string): Promise<PushPreview> =>
  page.call({ type: 'push.look', ...(branch === undefined ? {} : { branch }) });

async function push(page: GitPage, changes: Partial<PushRequest> = {}): Promise<unknown> {
  const { branch, remote, commit, seen } = await look(page, changes.branch);
  return page.call({
    type: 'push',
    branch,
    remote,
    commit,
    ...(seen === undefined ? {} : { seen }),
    ...changes,
  });
}

describe('W41 fetch and pull', () => {
  it('fetches all branches of the remote, and moves no branch', async () => {
    const { mine, other, page } = fresh();
    other.git('switch', '-q', '-c', 'topic');
    const commit = other.commit('two', { 'b.txt': 'b\n' });
    other.git('push', '-q', 'origin', 'topic');
    const head = mine.git('rev-parse', 'HEAD');
    await page.call({ type: 'fetch' });
    expect(mine.git('rev-parse', 'origin/topic').trim()).toBe(commit);
    expect(mine.git('rev-parse', 'HEAD')).toBe(head);
    page.close();
  });

  it('pulls by fast-forward only, keeps local changes, and refuses diverged branches', async () => {
    const { mine, other, page } = fresh();
    const two = other.commit('two', { 'b.txt': 'b\n' });
    other.git('push', '-q');
    mine.write('README.md', 'my change\n');
    await page.call({ type: 'pull' });
    expect(mine.git('rev-parse', 'HEAD').trim()).toBe(two);
    expect(await page.files()).toEqual({ 'README.md': '.M' });
    const three = mine.commit('mine');
    other.commit('theirs', { 'c.txt': 'c\n' });
    other.git('push', '-q');
    await expect(page.call({ type: 'pull' })).rejects.toMatchObject({ code: 'BRANCH_DIVERGED' });
    expect(mine.git('rev-parse', 'HEAD').trim()).toBe(three);
    expect((await page.status()).upstream).toMatchObject({ ahead: 1, behind: 1 });
    page.close();
  });

  it('stops a call that waits for the remote, and changes nothing', async () => {
    const { mine, remote, page } = fresh();
    const server = await gitServer(join(remote.directory, '..'));
    mine.git('remote', 'set-url', 'origin', `http://127.0.0.1:${server.port}/shop.git`);
    const before = mine.git('for-each-ref');
    const { reached } = server.hang();
    const fetching = page.call({ type: 'fetch' });
    const failed = expect(fetching).rejects.toMatchObject({ code: 'GIT_STOPPED' });
    await reached;
    await page.call({ type: 'network.stop' });
    await failed;
    expect(mine.git('for-each-ref')).toBe(before);
    await server.close();
    page.close();
  });

  it('B51 missing credentials are named, with no prompt, and no password is shown', async () => {
    const { mine, remote, page } = fresh();
    const server = await gitServer(join(remote.directory, '..'), 'right');
    const address = `127.0.0.1:${server.port}/shop.git`;
    mine.git('remote', 'set-url', 'origin', `http://${address}`);
    await expect(page.call({ type: 'fetch' })).rejects.toMatchObject({ code: 'GIT_CREDENTIALS' });
    mine.git('remote', 'set-url', 'origin', `http://me:wr0ng-secret@${address}`);
    const error = await page.call({ type: 'fetch' }).catch((one: Error) => one);
    expect(error).toMatchObject({ code: 'GIT_CREDENTIALS' });
    expect((error as Error).message).not.toContain('wr0ng');
    mine.git('remote', 'set-url', 'origin', `http://me:right@${address}`);
    await page.call({ type: 'fetch' });
    const commit = mine.commit('two');
    expect((await look(page)).addresses).toEqual([`http://${address}`]);
    await push(page);
    expect(remote.git('rev-parse', 'main').trim()).toBe(commit);
    await server.close();
    page.close();
  });

  it('credential helpers of the user get the project’s environment', async () => {
    const { mine, remote, page } = fresh({ environment: { MY_PASSWORD: 'right' } });
    const server = await gitServer(join(remote.directory, '..'), 'right');
    mine.git('remote', 'set-url', 'origin', `http://127.0.0.1:${server.port}/shop.git`);
    mine.git('config', 'credential.helper', '!f() { echo username=me; echo password=$MY_PASSWORD; }; f');
    await page.call({ type: 'fetch' });
    await server.close();
    page.close();
  });
});

describe('B50 over TLS', () => {
  const tls = () => selfSigned(world.path(`tls-${number}`));
  it('fetches and pushes with git http-backend, with the certificate and the password of the user', async () => {
    const { mine, other, remote, page } = fresh();
    const signed = tls();
    const server = await gitServer(join(remote.directory, '..'), 'secret', signed);
    try {
      mine.git('remote', 'set-url', 'origin', `https://me:secret@localhost:${server.port}/shop.git`);
      mine.git('config', 'http.sslCAInfo', signed.file);
      other.commit('two', { 'two.txt': 'two\n' });
      other.git('push', '-q');
      await page.call({ type: 'fetch' });
      expect(mine.git('rev-parse', 'origin/main')).toBe(other.git('rev-parse', 'main'));
      await page.call({ type: 'pull' });
      mine.commit('three', { 'three.txt': 'three\n' });
      await push(page);
      expect(remote.git('rev-parse', 'main')).toBe(mine.git('rev-parse', 'main'));
    } finally {
      await server.close();
      page.close();
    }
  });

  it('a certificate that the user does not trust is refused, and nothing is sent', async () => {
    const { mine, remote, page } = fresh();
    const server = await gitServer(join(remote.directory, '..'), 'secret', tls());
    try {
      mine.git('remote', 'set-url', 'origin', `https://me:secret@localhost:${server.port}/shop.git`);
      await expect(page.call({ type: 'fetch' })).rejects.toThrow(/certificate/i);
      expect(server.requests).toEqual([]);
    } finally {
      await server.close();
      page.close();
    }
  });
});

describe('B52 push', () => {
  it('sends the commit that was shown, lists commits and files, and sets the upstream', async () => {
    const { mine, remote, page } = fresh();
    mine.git('switch', '-q', '-c', 'me/fix');
    const commit = mine.commit('fix it', { 'src/a.ts': 'a\n', 'ümlaut.txt': 'x\n' });
    const preview = await look(page);
    expect(preview).toMatchObject({ branch: 'me/fix', commit, remote: 'origin', ahead: 1, behind: 0 });
    expect(preview.commits).toEqual([{ commit, author: 'Ada Example', subject: 'fix it' }]);
    expect(preview.files).toHaveLength(2);
    expect(preview.secrets).toEqual([]);
    await push(page);
    expect(remote.git('rev-parse', 'me/fix').trim()).toBe(commit);
    expect((await page.status()).upstream).toEqual({
      name: 'origin/me/fix',
      ahead: 0,
      behind: 0,
      gone: false,
    });
    expect((await look(page)).refusal).toBe('The remote has these commits already.');
    page.close();
  });

  it('is refused if the branch moved since it was shown', async () => {
    const { mine, remote, page } = fresh();
    mine.commit('two');
    const { branch, remote: name, commit, seen = '' } = await look(page);
    mine.commit('three');
    await expect(page.call({ type: 'push', branch, remote: name, commit, seen })).rejects.toMatchObject({
      code: 'GIT_CHANGED',
    });
    expect(remote.git('rev-parse', 'main').trim()).toBe(seen);
    page.close();
  });

  it('never forces: a branch behind the remote is refused, also if that was not known here', async () => {
    const { mine, remote, other, page } = fresh();
    const theirs = other.commit('theirs', { 'c.txt': 'c\n' });
    other.git('push', '-q');
    mine.commit('mine');
    await expect(push(page)).rejects.toMatchObject({ code: 'PUSH_REJECTED' });
    await page.call({ type: 'fetch' });
    const { refusal, lost } = await look(page);
    expect(refusal).toContain('has commits that this one lacks');
    expect(lost).toBeUndefined();
    await expect(push(page, { overwrite: true })).rejects.toMatchObject({ code: 'PUSH_REJECTED' });
    expect(remote.git('rev-parse', 'main').trim()).toBe(theirs);
    page.close();
  });

  it('a rebased workspace branch replaces only the commits that were shown, after confirmation', async () => {
    const { mine, remote, other, page } = fresh({ own: { branch: 'me/fix', base: 'main' } });
    mine.git('switch', '-q', '-c', 'me/fix');
    const old = mine.commit('fix', { 'a.txt': 'a\n' });
    await push(page);
    mine.git('commit', '-q', '--amend', '-m', 'fix better');
    const preview = await look(page);
    expect(preview.lost).toEqual([{ commit: old, author: 'Ada Example', subject: 'fix' }]);
    expect(preview.refusal).toBeUndefined();
    await expect(push(page)).rejects.toMatchObject({ code: 'NOT_CONFIRMED' });
    // Somebody else pushes in between.
    other.git('fetch', '-q');
    other.git('switch', '-q', '-c', 'me/fix', 'origin/me/fix');
    const theirs = other.commit('theirs', { 'd.txt': 'd\n' });
    other.git('push', '-q', 'origin', 'me/fix');
    await expect(push(page, { overwrite: true })).rejects.toMatchObject({ code: 'PUSH_REJECTED' });
    expect(remote.git('rev-parse', 'me/fix').trim()).toBe(theirs);
    await page.call({ type: 'fetch' });
    expect((await look(page)).lost?.map(({ subject }) => subject)).toEqual(['theirs', 'fix']);
    await push(page, { overwrite: true });
    expect(remote.git('log', '--format=%s', 'me/fix').split('\n')[0]).toBe('fix better');
    page.close();
  });

  it('the base and the default branch are never replaced', async () => {
    const { mine, page } = fresh({ own: { branch: 'main', base: 'release' } });
    mine.commit('two');
    await push(page);
    mine.git('reset', '-q', '--hard', 'HEAD~1');
    mine.commit('other');
    expect(await look(page)).toMatchObject({ behind: 1, refusal: expect.any(String) });
    expect((await look(page)).lost).toBeUndefined();
    page.close();
  });

  it('hooks of the user run, and can stop it', async () => {
    const { mine, remote, page } = fresh();
    const hook = join(mine.directory, '.git/hooks/pre-push');
    mkdirSync(join(hook, '..'), { recursive: true });
    writeFileSync(hook, '#!/bin/sh\necho "tests failed" >&2\nexit 1\n');
    chmodSync(hook, 0o755);
    const before = remote.git('rev-parse', 'main');
    mine.commit('two');
    await expect(push(page)).rejects.toMatchObject({ code: 'GIT_FAILED', message: 'tests failed' });
    expect(remote.git('rev-parse', 'main')).toBe(before);
    page.close();
  });

  it('the remote’s reason is shown', async () => {
    const { mine, remote, page } = fresh();
    const hook = join(remote.directory, 'hooks/pre-receive');
    writeFileSync(hook, '#!/bin/sh\necho "no pushes on Friday"\nexit 1\n');
    chmodSync(hook, 0o755);
    mine.commit('two');
    const error = await push(page).catch((one: Error) => one);
    expect(error).toMatchObject({ code: 'PUSH_REJECTED' });
    expect((error as Error).message).toContain('no pushes on Friday');
    page.close();
  });

  it('secrets in files, names, messages and the branch stop it until the user decides', async () => {
    const { mine, remote, page } = fresh();
    const token = `ghp_${'a1B2'.repeat(10)}`;
    mine.git('switch', '-q', '-c', 'me/topic');
    mine.commit(`use ${token}`, { 'src/a.ts': `one\nconst t = "${token}";\n`, '.env': 'A=1\n' });
    // Removed again, but the earlier commit is pushed too.
    mine.commit('clean', { 'src/a.ts': 'one\n' });
    const { secrets } = await look(page);
    expect(secrets.map(({ kind, where, line, begins }) => [kind, where, line, begins])).toEqual([
      ['GitHub token', 'commit message', undefined, 'ghp_…'],
      ['Private file', '.env', undefined, ''],
      ['GitHub token', 'src/a.ts', 2, 'ghp_…'],
    ]);
    await expect(push(page)).rejects.toMatchObject({ code: 'PUSH_SECRETS' });
    expect(remote.git('branch')).not.toContain('topic');
    await push(page, { anyway: true });
    expect(remote.git('branch')).toContain('topic');
    page.close();
  });

  it('a patch can’t hide a line from the search, and only new secrets are named', () => {
    const log = [
      `${COMMIT_MARK}${'a'.repeat(40)}\0Ada\0one\0one\n\0`,
      'diff --git a/a b/a',
      '--- a/a',
      '+++ b/a',
      '@@ -1 +1,3 @@',
      '-AKIAABCDEFGHIJKLMNOP',
      '+++ b/harmless',
      `+${COMMIT_MARK}`,
      '+AKIAABCDEFGHIJKLMNOP',
      '',
    ].join('\n');
    expect(scanLog(log, 'main').secrets).toEqual([
      { kind: 'AWS access key', begins: 'AKIA…', where: 'a', line: 3, commit: 'a'.repeat(40) },
    ]);
    expect(secretIn('-----BEGIN OPENSSH PRIVATE KEY-----')?.kind).toBe('Private key');
    expect(secretIn('api_key: "q8Zr2Lw0Xk5Tn7Vb"')?.kind).toBe('Password or key');
    expect(secretIn('url = postgres://shop:s3cretpass@db/shop')?.kind).toBe('Password in an address');
    for (const harmless of [
      'const token = readTokenFromEnvironment();',
      'password: process.env.PASSWORD',
      'aws = AKIAIOSFODNN7EXAMPLE',
      'url = postgres://user:$PASSWORD@db/shop',
      'tokenizer = new Tokenizer(options)',
    ])
      expect(secretIn(harmless)).toBeUndefined();
  });
});

describe('B50 attacks', () => {
  const trap = (mine: TestRepository) => {
    const trace = join(mine.directory, '..', 'ran');
    const file = join(mine.directory, '..', 'trap.sh');
    writeFileSync(file, `#!/bin/sh\ntouch '${trace}'\n`);
    chmodSync(file, 0o755);
    return { file, ran: () => existsSync(trace) };
  };

  it('without trust nothing is contacted, and no configured program runs', async () => {
    const { mine, page } = fresh({ isTrusted: false });
    const { file, ran } = trap(mine);
    mine.git('config', 'core.sshCommand', file);
    mine.git('config', 'remote.origin.uploadpack', file);
    mine.git('remote', 'set-url', 'origin', 'ssh://127.0.0.1:1/shop');
    for (const type of ['fetch', 'pull', 'push.look'] as const)
      await expect(page.call({ type })).rejects.toMatchObject({ code: 'GIT_UNSAFE' });
    const commit = mine.git('rev-parse', 'HEAD').trim();
    await expect(page.call({ type: 'push', branch: 'main', remote: 'origin', commit })).rejects.toMatchObject(
      { code: 'GIT_UNSAFE' },
    );
    expect(ran()).toBe(false);
    page.close();
  });

  it.each([
    ['an ext:: address', ['remote.origin.url', 'ext::TRAP']],
    ['an ext:: push address', ['remote.origin.pushurl', 'ext::TRAP']],
    ['an address that is rewritten', ['url.ext::TRAP .insteadOf', 'file:']],
    ['a helper', ['remote.origin.vcs', 'ext']],
  ])('transports that are programs stay off, even with trust: %s', async (_, [key = '', value = '']) => {
    const { mine, page } = fresh();
    const { file, ran } = trap(mine);
    mine.git('remote', 'set-url', 'origin', `file://${mine.directory}/../remote/shop.git`);
    mine.git('config', key.replace('TRAP', file), value.replace('TRAP', file));
    mine.git('config', 'protocol.allow', 'always');
    mine.git('config', 'protocol.ext.allow', 'always');
    mine.commit('two');
    if (key !== 'remote.origin.pushurl') {
      await expect(page.call({ type: 'fetch' })).rejects.toMatchObject({ code: 'GIT_UNSAFE' });
      await expect(page.call({ type: 'pull' })).rejects.toMatchObject({ code: 'GIT_UNSAFE' });
    }
    await expect(push(page)).rejects.toMatchObject({ code: 'GIT_UNSAFE' });
    expect(ran()).toBe(false);
    page.close();
  });

  it('names of branches and remotes are never options', async () => {
    const { mine, page } = fresh();
    const { file, ran } = trap(mine);
    const commit = mine.git('rev-parse', 'HEAD').trim();
    mine.git('update-ref', `refs/heads/--receive-pack=${file}`, commit);
    mine.git('config', `remote.--upload-pack=${file}.url`, mine.directory);
    mine.git('config', `remote.--upload-pack=${file}.fetch`, '+refs/heads/*:refs/remotes/evil/*');
    const branch = `--receive-pack=${file}`;
    await expect(look(page, branch)).rejects.toMatchObject({ code: 'INVALID_MESSAGE' });
    await expect(page.call({ type: 'fetch', remote: `--upload-pack=${file}` })).rejects.toMatchObject({
      code: 'GIT_FAILED',
    });
    await expect(page.call({ type: 'fetch', remote: 'ext::sh' })).rejects.toMatchObject({
      code: 'GIT_FAILED',
    });
    expect(ran()).toBe(false);
    page.close();
  });

  it('prompts are off, and variables that redirect git don’t reach it', () => {
    const environment = networkEnvironment({
      PATH: '/bin',
      GIT_DIR: '/evil',
      GIT_ASKPASS: '/evil',
      SSH_ASKPASS: '/evil',
      SSH_AUTH_SOCK: '/agent',
      GIT_SSH_COMMAND: 'ssh -i key',
      LC_ALL: 'de_DE.UTF-8',
    });
    expect(environment).toMatchObject({
      PATH: '/bin',
      GIT_ASKPASS: '',
      SSH_ASKPASS: '',
      SSH_AUTH_SOCK: '/agent',
      GIT_SSH_COMMAND: 'ssh -i key',
      LC_CTYPE: 'de_DE.UTF-8',
      LC_MESSAGES: 'C',
    });
    expect(environment).not.toHaveProperty('GIT_DIR');
    expect(shellWord('$(touch x)')).toBe("'$(touch x)'");
    expect(shellWord("it's")).toBe("'it'\\''s'");
  });
});
