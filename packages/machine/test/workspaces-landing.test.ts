/** Landing of workspaces with real git (B41 to B49): method by situation. */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type GitWorld, gitWorld, repositoryAt } from './git-fixture.ts';
import { type Case, gitIn, hook, landingCase, read, snapshot } from './landing-case.ts';
import { type PlaceOptions, PROJECT, workspacePlace } from './workspace-fixture.ts';

const METHODS = ['squash', 'merge', 'rebase'] as const;
/** The full tier has every combination. */
const SOME = METHODS.filter((method) => process.env.TUGDECK_TEST_FULL === '1' || method !== 'merge');

let world: GitWorld;
beforeAll(() => {
  world = gitWorld();
});
afterAll(() => world.dispose());

const fresh = (options: PlaceOptions & { base?: string } = {}): Promise<Case> => landingCase(world, options);

describe('a workspace that is ahead', () => {
  it.each(METHODS)('B46 B47 lands by %s, and the checkout has its files', async (method) => {
    const one = await fresh();
    const before = one.main();
    one.commit('first', { 'src/a.ts': 'a1\n' });
    const tip = one.commit('second', { 'new.txt': 'new\n' });
    expect(await one.look(method)).toMatchObject({ onto: 'main', ahead: 2, behind: 0, conflicts: [] });
    await one.land({ method, message: 'Fix the login' });
    const { repository } = one;
    expect(read(repository.directory, 'src/a.ts')).toBe('a1\n');
    expect(repository.git('status', '--porcelain')).toBe('');
    const parents = repository.git('log', '-1', '--format=%P').trim().split(' ');
    const subject = repository.git('log', '-1', '--format=%s').trim();
    if (method === 'squash') expect([parents, subject]).toEqual([[before], 'Fix the login']);
    if (method === 'merge') expect([parents, subject]).toEqual([[before, tip], 'Fix the login']);
    if (method === 'rebase') expect(one.main()).toBe(tip);
    expect(one.place.workspaces.get(one.id)).toMatchObject({
      op: undefined,
      landing: { landed: { method, onto: 'main', commit: one.main() } },
    });
  });

  it('B48 sets the branch to the landed commit, keeps its old tip, and lands again without a conflict', async () => {
    const one = await fresh();
    const tip = one.commit('first', { 'src/a.ts': 'a1\n' });
    await one.land();
    expect(gitIn(one.path, 'rev-parse', 'HEAD')).toBe(one.main());
    expect(gitIn(one.path, 'status', '--porcelain')).toBe('');
    expect(gitIn(one.path, 'for-each-ref', '--format=%(objectname)', 'refs/tugdeck/landed/')).toBe(tip);
    one.commit('more', { 'src/a.ts': 'a2\n' });
    await one.land();
    expect(read(one.repository.directory, 'src/a.ts')).toBe('a2\n');
  });

  it('B42 commits uncommitted files with the message', async () => {
    const one = await fresh();
    one.write('src/a.ts', 'a1\n');
    one.write('new.txt', 'new\n');
    expect(await one.look()).toMatchObject({ uncommitted: 2, ahead: 0, message: 'Fix the login' });
    await one.land();
    expect(one.repository.git('show', '--format=%s', '--name-only', 'main').trim().split('\n')).toEqual([
      'Fix the login',
      '',
      'new.txt',
      'src/a.ts',
    ]);
  });

  it('B42 leaves uncommitted files in the workspace if the user wants that', async () => {
    const one = await fresh();
    one.commit('first', { 'src/a.ts': 'a1\n' });
    one.write('src/b.ts', 'later\n');
    await one.land({ leave: true });
    expect(read(one.repository.directory, 'src/b.ts')).toBe('b\n');
    expect(read(one.path, 'src/b.ts')).toBe('later\n');
    expect(gitIn(one.path, 'status', '--porcelain')).toBe('M src/b.ts');
  });

  it('B46 copies the work into the checkout as uncommitted changes', async () => {
    const one = await fresh();
    const before = one.main();
    one.commit('first', { 'src/a.ts': 'a1\n' });
    one.write('new.txt', 'new\n');
    one.repository.write('src/b.ts', 'mine\n');
    expect(await one.look('changes')).toMatchObject({ carry: { files: 2, merged: 0 } });
    await one.land({ method: 'changes' });
    expect(one.main()).toBe(before);
    expect(
      one.repository
        .git('status', '--porcelain')
        .trim()
        .split('\n')
        .map((line) => line.trim()),
    ).toEqual(['M src/a.ts', 'M src/b.ts', '?? new.txt']);
    expect(one.place.workspaces.get(one.id).landing?.landed).toMatchObject({ method: 'changes' });
  });

  it('B46 copies nothing if a file was changed on both sides', async () => {
    const one = await fresh();
    one.commit('first', { 'src/a.ts': 'theirs\n' });
    one.repository.write('src/a.ts', 'mine\n');
    expect((await one.look('changes')).checkout?.blocking).toEqual(['src/a.ts']);
    await expect(one.land({ method: 'changes' })).rejects.toMatchObject({ code: 'LAND_CONFLICT' });
    expect(read(one.repository.directory, 'src/a.ts')).toBe('mine\n');
  });

  it('B45 stops at a failed check, and lands anyway if the user wants that', async () => {
    const one = await fresh({ settings: { check: 'npm test' }, use: { check: async () => 7 } });
    one.commit('first', { 'src/a.ts': 'a1\n' });
    const before = snapshot(one);
    await expect(one.land()).rejects.toMatchObject({ code: 'CHECK_FAILED' });
    expect(snapshot(one)).toEqual(before);
    expect(one.place.workspaces.get(one.id).landing?.fault).toMatchObject({ code: 'CHECK_FAILED' });
    await one.land({ anyway: true });
    expect(read(one.repository.directory, 'src/a.ts')).toBe('a1\n');
  });

  it('B46 archives the workspace afterwards', async () => {
    const one = await fresh();
    one.commit('first', { 'src/a.ts': 'a1\n' });
    const archived = new Promise<void>((resolve) =>
      one.place.workspaces.subscribe(() => {
        if (one.place.workspaces.get(one.id).state === 'archived') resolve();
      }),
    );
    await one.land({ archive: true });
    await archived;
    expect(existsSync(one.path)).toBe(false);
    await one.place.workspaces.restore(one.id);
    expect(read(one.path, 'src/a.ts')).toBe('a1\n');
  });
});

describe('a base that moved on', () => {
  it.each(SOME)('B44 %s brings it into the workspace first', async (method) => {
    const one = await fresh();
    one.commit('first', { 'src/a.ts': 'a1\n' });
    const base = one.repository.commit('other', { 'src/b.ts': 'b1\n' });
    expect(await one.look(method)).toMatchObject({ ahead: 1, behind: 1, conflicts: [] });
    await one.land({ method });
    expect(one.repository.git('merge-base', base, 'main').trim()).toBe(base);
    expect([read(one.path, 'src/b.ts'), read(one.repository.directory, 'src/a.ts')]).toEqual([
      'b1\n',
      'a1\n',
    ]);
  });

  it.each(SOME)(
    'B43 B44 %s conflicts in the workspace only, and lands once they are resolved',
    async (method) => {
      const one = await fresh();
      one.commit('first', { 'src/a.ts': 'theirs\n' });
      one.repository.commit('other', { 'src/a.ts': 'base\n' });
      const base = one.main();
      expect(await one.look(method)).toMatchObject({ conflicts: ['src/a.ts'] });
      await expect(one.land({ method })).rejects.toMatchObject({ code: 'LAND_CONFLICT' });
      expect(one.main()).toBe(base);
      expect(one.repository.git('status', '--porcelain')).toBe('');
      expect(await one.look(method)).toMatchObject({ unfinished: { conflicts: ['src/a.ts'] } });
      await expect(one.land({ method })).rejects.toMatchObject({ code: 'WORKSPACE_BUSY' });
      one.write('src/a.ts', 'both\n');
      gitIn(one.path, 'add', '-A');
      gitIn(one.path, '-c', 'core.editor=:', method === 'rebase' ? 'rebase' : 'merge', '--continue');
      await one.land({ method });
      expect(read(one.repository.directory, 'src/a.ts')).toBe('both\n');
    },
  );

  it('B43 sees conflicts of uncommitted files too', async () => {
    const one = await fresh();
    one.write('src/a.ts', 'theirs\n');
    one.repository.commit('other', { 'src/a.ts': 'base\n' });
    const before = snapshot(one);
    expect(await one.look()).toMatchObject({ conflicts: ['src/a.ts'] });
    expect(snapshot(one)).toEqual(before);
  });

  it('B47 does not land if it moves between the preview and the landing', async () => {
    const state: { one?: Case } = {};
    const one = await fresh({
      reached: ({ op }) => {
        if (op?.step === 'move') state.one?.repository.commit('late', { 'late.txt': 'late\n' });
      },
    });
    state.one = one;
    const tip = one.commit('first', { 'src/a.ts': 'a1\n' });
    await expect(one.land()).rejects.toMatchObject({ code: 'LAND_MOVED' });
    expect(one.repository.git('log', '-1', '--format=%s').trim()).toBe('late');
    expect(gitIn(one.path, 'rev-parse', 'HEAD')).toBe(tip);
    expect(gitIn(one.path, 'status', '--porcelain')).toBe('');
  });

  it('B47 refuses to land anything other than the user saw', async () => {
    const one = await fresh();
    one.commit('first', { 'src/a.ts': 'a1\n' });
    const { base = '', head = '' } = await one.look();
    one.commit('second', { 'src/b.ts': 'b1\n' });
    await expect(one.place.workspaces.landing.begin(one.id, { base, head })).rejects.toMatchObject({
      code: 'LAND_MOVED',
    });
  });

  it("B47 moves a base that isn't checked out by its ref", async () => {
    const one = await fresh();
    one.repository.git('switch', '-q', '-c', 'other');
    one.commit('first', { 'src/a.ts': 'a1\n' });
    await one.land();
    expect(one.main()).toBe(gitIn(one.path, 'rev-parse', 'HEAD'));
    expect(read(one.repository.directory, 'src/a.ts')).toBe('a\n');
    expect(one.repository.git('status', '--porcelain')).toBe('');
  });

  it('B47 refuses while the base is being rebased', async () => {
    const one = await fresh();
    one.commit('first', { 'src/b.ts': 'b1\n' });
    one.repository.git('switch', '-q', '-c', 'other');
    one.repository.commit('other', { 'src/a.ts': 'other\n' });
    one.repository.git('switch', '-q', 'main');
    one.repository.commit('mine', { 'src/a.ts': 'mine\n' });
    expect(() => one.repository.git('rebase', 'other')).toThrow();
    await expect(one.look()).rejects.toMatchObject({ code: 'WORKSPACE_BUSY' });
  });
});

describe('a checkout with changes', () => {
  it('B47 keeps files that landing does not touch', async () => {
    const one = await fresh();
    one.commit('first', { 'src/a.ts': 'a1\n' });
    one.repository.write('README.md', 'mine\n');
    one.repository.write('notes.txt', 'mine\n');
    expect((await one.look()).checkout).toMatchObject({ changed: 2, blocking: [] });
    await one.land();
    expect(read(one.repository.directory, 'README.md')).toBe('mine\n');
    expect(read(one.repository.directory, 'src/a.ts')).toBe('a1\n');
  });

  it.each([
    ['a changed file', 'src/a.ts'],
    ['a new file', 'new.txt'],
  ])('B47 stops at %s in the way, by name, and changes nothing', async (_what, name) => {
    const one = await fresh();
    one.commit('first', { [name]: 'theirs\n' });
    one.repository.write(name, 'mine\n');
    const before = snapshot(one);
    expect((await one.look()).checkout?.blocking).toEqual([name]);
    await expect(one.land()).rejects.toThrow(name);
    expect(snapshot(one)).toEqual(before);
    expect(read(one.repository.directory, name)).toBe('mine\n');
  });
});

describe('hooks and signing', () => {
  it.each(['squash', 'merge'] as const)('B46 %s stops if a hook fails, with its output', async (method) => {
    const one = await fresh();
    one.commit('first', { 'src/a.ts': 'a1\n' });
    hook(one.repository, 'commit-msg', 'echo "no ticket in the message" >&2; exit 1');
    const before = snapshot(one);
    await expect(one.land({ method })).rejects.toThrow('no ticket');
    expect(snapshot(one)).toEqual(before);
    expect(existsSync(join(one.repository.directory, '.git/worktrees/fix-the-login/MERGE_HEAD'))).toBe(false);
  });

  it('B46 stops if a hook changes files, and they are in the workspace', async () => {
    const one = await fresh();
    const tip = one.commit('first', { 'src/a.ts': 'a1\n' });
    hook(one.repository, 'pre-commit', 'echo formatted > src/a.ts; git add src/a.ts');
    await expect(one.land()).rejects.toThrow('hook changed files');
    expect(one.repository.git('log', '-1', '--format=%s').trim()).toBe('one');
    expect(gitIn(one.path, 'rev-parse', 'HEAD')).toBe(tip);
    expect(gitIn(one.path, 'status', '--porcelain')).toBe('M  src/a.ts');
  });

  it('B46 runs hooks where the files are, with relative paths and the user’s variables', async () => {
    const one = await fresh();
    one.commit('first', { 'src/a.ts': 'a1\n' });
    hook(
      one.repository,
      'pre-commit',
      `cat src/a.ts > "${world.path('seen')}"; echo "$TUGDECK_WORKSPACE" >> "${world.path('seen')}"`,
    );
    await one.land();
    expect(read(world.root, 'seen')).toBe('a1\nfix-the-login\n');
  });

  it('B46 stops if a signature fails', async () => {
    const one = await fresh();
    one.commit('first', { 'src/a.ts': 'a1\n' });
    const program = world.path('no-gpg');
    writeFileSync(program, '#!/bin/sh\necho "no secret key" >&2\nexit 2\n', { mode: 0o755 });
    one.repository.git('config', 'commit.gpgsign', 'true');
    one.repository.git('config', 'gpg.program', program);
    const before = snapshot(one);
    await expect(one.land()).rejects.toThrow(/gpg|sign/);
    expect(snapshot(one)).toEqual(before);
  });
});

describe('refusals', () => {
  it('B41 lands nothing while an agent works, and nothing in a project without trust', async () => {
    const busy = await fresh({ use: { isWorking: () => true } });
    busy.commit('first', { 'src/a.ts': 'a1\n' });
    await expect(busy.land()).rejects.toMatchObject({ code: 'WORKSPACE_BUSY' });
    const foreign = await fresh({ trust: 'no' });
    gitIn(foreign.path, 'commit', '-q', '--allow-empty', '-m', 'first');
    hook(foreign.repository, 'pre-commit', `touch "${world.path('ran')}"`);
    expect(await foreign.look()).toMatchObject({ refusal: expect.stringContaining('not trusted') });
    await expect(foreign.land()).rejects.toMatchObject({ code: 'GIT_UNSAFE' });
    expect(existsSync(world.path('ran'))).toBe(false);
  });

  it('B41 has nothing to land without new commits or changes', async () => {
    const one = await fresh();
    expect(await one.look()).toMatchObject({ refusal: expect.stringContaining('Nothing to land') });
  });

  it('B30 B46 needs a branch to land on if the base was a commit', async () => {
    const root = world.path('detached');
    const repository = repositoryAt(join(root, 'shop'));
    const first = repository.commit('one', { 'src/a.ts': 'a\n' });
    const place = workspacePlace(join(root, 'data'), repository.directory);
    const { id } = await place.workspaces.create(PROJECT, { title: 'x', base: first }, 'w1');
    const { path } = await place.workspaces.ready(id);
    gitIn(path, 'commit', '-q', '--allow-empty', '-m', 'own');
    expect((await place.workspaces.landing.look(id, {})).refusal).toContain('Choose a branch');
    const { base = '', head = '' } = await place.workspaces.landing.look(id, { onto: 'main' });
    await (await place.workspaces.landing.begin(id, { onto: 'main', base, head, method: 'rebase' })).end;
    expect(repository.git('log', '-1', '--format=%s', 'main').trim()).toBe('own');
    await place.close();
  });

  it('B80 refuses a branch that looks like an option', async () => {
    const one = await fresh();
    const look = one.place.workspaces.landing.look(one.id, { onto: '--upload-pack=x' });
    await expect(look).rejects.toMatchObject({ code: 'INVALID_MESSAGE' });
  });
});
