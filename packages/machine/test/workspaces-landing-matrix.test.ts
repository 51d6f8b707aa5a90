/**
 * Every landing method in every situation, with real git (B41 to B48). A landing that is refused leaves base, checkout and
 * the workspace's branch and files as they were. Full tier.
 */
import { lstatSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type LandMethod, type LandRequest, landMethodSchema } from '@tugdeck/protocol/workspaces/landing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type GitWorld, gitWorld } from './git-fixture.ts';
import { type Case, gitIn, hook, landingCase, read, snapshot } from './landing-case.ts';
import type { PlaceOptions } from './workspace-fixture.ts';

const IS_FULL = process.env.TUGDECK_TEST_FULL === '1';
let world: GitWorld;
let open: Case | undefined;
beforeAll(() => {
  world = gitWorld();
});
afterEach(async () => {
  await open?.place.close();
  open = undefined;
});
afterAll(() => world.dispose());

interface Situation {
  readonly options?: PlaceOptions & { base?: string };
  readonly request?: Partial<LandRequest>;
  /** Before the preview. */
  readonly prepare: (one: Case, method: LandMethod) => void;
  /** The code of the refusal, or of what stops it; undefined if it lands. */
  readonly stops?: (method: LandMethod) => string | undefined;
  /** The conflict is in the workspace afterwards. */
  readonly leavesConflict?: boolean;
  /** The checkout has a/b of the workspace afterwards. Default: `a1` in `src/a.ts`. */
  readonly landed?: (one: Case, method: LandMethod) => void;
}

const isCommit = (method: LandMethod) => method === 'squash' || method === 'merge';
const first = (one: Case) => one.commit('first', { 'src/a.ts': 'a1\n' });
const always = (code: string) => () => code;

const SITUATIONS: Readonly<Record<string, Situation>> = {
  'with one commit': { prepare: first },
  'with all kinds of changes': {
    prepare: (one) => {
      one.commit('first', { 'src/a.ts': 'a1\n', 'ünï code.txt': 'x\n' });
      rmSync(join(one.path, 'src/b.ts'));
      writeFileSync(join(one.path, 'run.sh'), '#!/bin/sh\n', { mode: 0o755 });
      symlinkSync('README.md', join(one.path, 'link'));
      gitIn(one.path, 'mv', 'README.md', 'READ.md');
    },
    landed: ({ repository: { directory, git } }, method) => {
      expect(read(directory, 'ünï code.txt')).toBe('x\n');
      expect(lstatSync(join(directory, 'run.sh')).mode & 0o111).not.toBe(0);
      expect(readlinkSync(join(directory, 'link'))).toBe('README.md');
      expect(read(directory, 'READ.md')).toBe('hello\n');
      const gone = git('ls-files', '--deleted').trim().split('\n').sort();
      expect(gone).toEqual(method === 'changes' ? ['README.md', 'src/b.ts'] : ['']);
    },
  },
  'with uncommitted files only': {
    prepare: (one) => one.write('src/a.ts', 'a1\n'),
  },
  'behind a base that moved': {
    prepare: (one) => {
      first(one);
      one.repository.commit('other', { 'src/b.ts': 'b1\n' });
    },
    landed: (one) => expect(read(one.repository.directory, 'src/b.ts')).toBe('b1\n'),
  },
  'in conflict with the base': {
    prepare: (one) => {
      first(one);
      one.repository.commit('other', { 'src/a.ts': 'base\n' });
    },
    stops: always('LAND_CONFLICT'),
    leavesConflict: true,
  },
  'with changes elsewhere in the checkout': {
    prepare: (one) => {
      first(one);
      one.repository.write('README.md', 'mine\n');
      one.repository.write('notes.txt', 'mine\n');
    },
    landed: ({ repository: { directory } }) =>
      expect([read(directory, 'README.md'), read(directory, 'notes.txt')]).toEqual(['mine\n', 'mine\n']),
  },
  'with changes of the same file in the checkout': {
    prepare: (one) => {
      first(one);
      one.repository.write('src/a.ts', 'mine\n');
    },
    stops: (method) => (method === 'changes' ? 'LAND_CONFLICT' : 'GIT_FAILED'),
  },
  'with staged changes of the same file in the checkout': {
    prepare: (one) => {
      first(one);
      one.repository.write('src/a.ts', 'mine\n');
      one.repository.git('add', 'src/a.ts');
    },
    stops: (method) => (method === 'changes' ? 'LAND_CONFLICT' : 'GIT_FAILED'),
  },
  'on a base that is not checked out': {
    prepare: (one) => {
      first(one);
      one.repository.git('switch', '-q', '-c', 'other');
    },
    landed: (one, method) =>
      expect(read(one.repository.directory, 'src/a.ts')).toBe(method === 'changes' ? 'a1\n' : 'a\n'),
  },
  'on a base that is checked out in another worktree': {
    prepare: (one) => {
      first(one);
      one.repository.git('switch', '-q', '-c', 'other');
      one.repository.git('worktree', 'add', '-q', `${one.repository.directory}-main`, 'main');
    },
    landed: (one, method) => {
      const elsewhere = `${one.repository.directory}-main`;
      expect(read(elsewhere, 'src/a.ts')).toBe(method === 'changes' ? 'a\n' : 'a1\n');
      expect(gitIn(elsewhere, 'status', '--porcelain')).toBe('');
    },
  },
  'with a hook that fails': {
    prepare: (one) => {
      first(one);
      hook(one.repository, 'commit-msg', 'exit 1');
    },
    stops: (method) => (isCommit(method) ? 'GIT_FAILED' : undefined),
  },
  'with a signature that fails': {
    prepare: (one) => {
      first(one);
      const program = world.path('fails');
      writeFileSync(program, '#!/bin/sh\nexit 2\n', { mode: 0o755 });
      one.repository.git('config', 'commit.gpgsign', 'true');
      one.repository.git('config', 'gpg.program', program);
    },
    stops: (method) => (isCommit(method) ? 'GIT_FAILED' : undefined),
  },
  'with a check that fails': {
    options: { settings: { check: 'npm test' }, use: { check: async () => 1 } },
    prepare: first,
    stops: (method) => (method === 'changes' ? undefined : 'CHECK_FAILED'),
  },
  'on a detached commit': {
    prepare: (one) => {
      first(one);
      gitIn(one.path, 'checkout', '-q', '--detach');
    },
    stops: (method) => (method === 'changes' ? undefined : 'WORKSPACE_BUSY'),
  },
  'with an unfinished merge': {
    prepare: (one) => {
      first(one);
      one.repository.commit('other', { 'src/a.ts': 'base\n' });
      expect(() => gitIn(one.path, 'merge', 'main')).toThrow();
    },
    stops: always('WORKSPACE_BUSY'),
  },
  'without a base branch': {
    options: { base: 'HEAD~0' },
    prepare: (one) => {
      first(one);
      one.place.store.workspaces.save({ ...one.place.workspaces.get(one.id), baseRef: undefined });
    },
    stops: always('WORKSPACE_BUSY'),
  },
  'without a base branch, on a branch that the user chose': {
    request: { onto: 'main' },
    prepare: (one) => {
      first(one);
      one.place.store.workspaces.save({ ...one.place.workspaces.get(one.id), baseRef: undefined });
    },
  },
  'with nothing to land': { prepare: () => undefined, stops: always('WORKSPACE_BUSY') },
};

const CASES = Object.keys(SITUATIONS).flatMap((name) =>
  landMethodSchema.options.map((method) => [method, name] as const),
);

describe.runIf(IS_FULL)('landing', () => {
  it.each(CASES)('B41 B46 B47 by %s %s', async (method, name) => {
    const situation = SITUATIONS[name];
    if (!situation) throw new Error(name);
    const { options, request, prepare, stops, leavesConflict, landed } = situation;
    const one = await landingCase(world, options);
    open = one;
    prepare(one, method);
    const before = snapshot(one);
    const files = read(one.repository.directory, 'src/a.ts');
    const code = stops?.(method);
    const land = async () => {
      const { base = '', head = '' } = await one.place.workspaces.landing.look(one.id, {
        method,
        ...request,
      });
      const { end } = await one.place.workspaces.landing.begin(one.id, { base, head, method, ...request });
      await end;
    };
    if (code === undefined) {
      await land();
      expect(one.place.workspaces.get(one.id)).toMatchObject({
        op: undefined,
        landing: { landed: { method } },
      });
      expect(one.repository.git('show', 'main:src/a.ts')).toBe(method === 'changes' ? 'a\n' : 'a1\n');
      if (landed) landed(one, method);
      else expect(read(one.repository.directory, 'src/a.ts')).toBe('a1\n');
      return;
    }
    await expect(land()).rejects.toMatchObject({ code });
    const after = snapshot(one);
    const isInWorkspace = leavesConflict === true && method !== 'changes';
    if (!isInWorkspace) expect(after).toEqual(before);
    expect([after.main, after.status]).toEqual([before.main, before.status]);
    expect(read(one.repository.directory, 'src/a.ts')).toBe(files);
  });

  it.each(landMethodSchema.options)(
    'B47 by %s nothing lands if the base or the checkout moves in between',
    async (method) => {
      const state: { one?: Case } = {};
      const one = await landingCase(world, {
        reached: ({ op }) => {
          if (op?.kind !== 'land') return;
          if (op.step === 'move') state.one?.repository.commit('late', { 'late.txt': 'late\n' });
          if (op.step === 'plan') state.one?.repository.write('src/a.ts', 'late\n');
        },
      });
      open = one;
      state.one = one;
      const tip = first(one);
      await expect(one.land({ method })).rejects.toMatchObject({ code: expect.stringMatching(/^LAND_/) });
      if (method === 'changes') expect(read(one.repository.directory, 'src/a.ts')).toBe('late\n');
      else expect(one.repository.git('log', '-1', '--format=%s').trim()).toBe('late');
      expect(gitIn(one.path, 'rev-parse', 'HEAD')).toBe(tip);
      expect(gitIn(one.path, 'status', '--porcelain')).toBe('');
    },
  );
});
