/** Attacks by a hostile repository that the user only views. */
import { execFileSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Attack, alive, unless, withVisitor } from './attack.ts';

interface Prepared {
  readonly root: string;
  /** A program that creates a file when it runs. */
  readonly program: string;
  git(...args: string[]): void;
  config(bytes: Buffer | string): void;
}

const filterNamed =
  (...name: number[]) =>
  ({ root, program, config }: Prepared) => {
    config(Buffer.from(`[filter "${latin(name)}"]\n\tclean = ${program}\n`, 'latin1'));
    writeFileSync(join(root, '.git/info/attributes'), Buffer.from(`* filter=${latin(name)}\n`, 'latin1'));
  };
const latin = (bytes: readonly number[]) => Buffer.from(bytes).toString('latin1');

/** Each repository is a separate, untrusted project. */
const HOSTILE: readonly (readonly [string, (prepared: Prepared) => void])[] = [
  ['runs a filter named by a byte that is not UTF-8', filterNamed(0xff)],
  ['runs a filter named by a cut sequence', filterNamed(0xe2, 0x82)],
  ['runs a filter named by a lone surrogate', filterNamed(0xed, 0xa0, 0x80)],
  [
    'runs a filter of a file that it includes',
    ({ root, program, config }) => {
      writeFileSync(join(root, '.git/more'), `[filter "f"]\n\tclean = ${program}\n`);
      config(`[include]\n\tpath = more\n[includeIf "gitdir:${root}/"]\n\tpath = more\n`);
      writeFileSync(join(root, '.gitattributes'), '* filter=f\n');
    },
  ],
  [
    "runs a monitor by its worktree's own configuration",
    ({ root, program, git }) => {
      git('config', 'extensions.worktreeConfig', 'true');
      const text = `[core]\n\tfsmonitor = ${program}\n[filter "f"]\n\tclean = ${program}\n`;
      writeFileSync(join(root, '.git/config.worktree'), text);
      writeFileSync(join(root, '.gitattributes'), '* filter=f\n');
    },
  ],
  [
    'contains a git, rg and tmux, for a PATH with the current directory in it',
    ({ root, program }) => {
      for (const name of ['git', 'rg', 'tmux', 'ps', 'sh', 'node']) symlinkSync(program, join(root, name));
    },
  ],
  [
    'takes all memory by attributes without an end',
    ({ root, git }) => {
      git('config', 'core.attributesFile', '/dev/zero');
      rmSync(join(root, '.git/info/attributes'), { force: true });
      symlinkSync('/dev/zero', join(root, '.git/info/attributes'));
    },
  ],
  [
    'runs a hook or a filter on a change that the user makes without having trusted it',
    ({ root, program, git }) => {
      git('config', 'filter.f.clean', program);
      writeFileSync(join(root, '.gitattributes'), '* filter=f\n');
      writeFileSync(join(root, '.git/hooks/pre-commit'), `#!/bin/sh\n${program}\n`, { mode: 0o755 });
    },
  ],
];

const ASKS = [
  { type: 'status' },
  { type: 'diff', path: 'a.txt', side: 'unstaged' },
  { type: 'branches' },
  { type: 'log' },
  { type: 'stashes' },
  { type: 'blame', path: 'a.txt' },
  { type: 'stage', paths: ['a.txt'] },
  { type: 'commit', message: 'x' },
  { type: 'stash.push' },
];

function gitIn(root: string): Prepared['git'] {
  return (...args) =>
    execFileSync('git', ['-C', root, '-c', 'user.name=x', '-c', 'user.email=x@x', ...args], {
      stdio: 'ignore',
    });
}

const asProject = ([name, prepare]: (typeof HOSTILE)[number], at: number): Attack => ({
  who: 'repository',
  name,
  async run(world) {
    const root = join(world.deck.sandbox.project, '..', `hostile-${at}`);
    const mark = `${root}-ran`;
    const program = `${root}.sh`;
    writeFileSync(program, `#!/bin/sh\ntouch ${mark}\ncat\n`, { mode: 0o755 });
    mkdirSync(root);
    writeFileSync(join(root, 'a.txt'), 'one\n');
    const git = gitIn(root);
    for (const args of [
      ['init', '-q'],
      ['add', '-A'],
      ['commit', '-qm', 'first'],
    ])
      git(...args);
    const config = (bytes: Buffer | string) => appendFileSync(join(root, '.git/config'), bytes);
    prepare({ root, program, git, config });
    writeFileSync(join(root, 'a.txt'), 'ONE\n');
    await withVisitor(world, (visitor) => visitor.request({ type: 'project.add', path: root }));
    const visitor = await world.visitor();
    try {
      const { deck } = await visitor.welcome();
      const project = deck.projects.find(({ path }) => path.endsWith(`hostile-${at}`))?.id;
      await visitor.openFeed(1, 'files', { project });
      await visitor.openFeed(2, 'git', { project });
      for (const ask of ASKS) await visitor.call('git', 2, ask);
    } finally {
      visitor.close();
    }
    return [...unless(!existsSync(mark), 'a program of the repository ran'), ...(await alive(world))];
  },
});

export const REPOSITORY: readonly Attack[] = [
  {
    who: 'repository',
    name: 'runs programs by its own configuration when its status, diff and log are read',
    run: (world) =>
      withVisitor(world, async (visitor, project) => {
        const root = world.deck.sandbox.project;
        const mark = join(root, '..', 'repository-ran');
        const git = gitIn(root);
        git('init', '-q');
        git('add', '-A', '--', '.', ':!pipe');
        git('commit', '-qm', 'first');
        const program = join(root, '..', 'evil.sh');
        writeFileSync(program, `#!/bin/sh\ntouch ${mark}\ncat\n`, { mode: 0o755 });
        for (const [name, value] of [
          ['core.fsmonitor', program],
          ['core.hooksPath', join(root, '..')],
          ['diff.external', program],
          ['core.pager', program],
          ['filter.evil.clean', program],
          ['filter.evil.smudge', program],
          ['diff.evil.textconv', program],
          ['alias.status', `!${program}`],
          ['core.sshCommand', program],
          ['gpg.program', program],
        ])
          git('config', name ?? '', value ?? '');
        writeFileSync(join(root, '.gitattributes'), '* filter=evil diff=evil\n');
        writeFileSync(join(root, '-rf'), 'x');
        writeFileSync(join(root, 'new\nline'), 'x');
        await visitor.openFeed(1, 'git', { project });
        for (const ask of [{ type: 'status' }, { type: 'branches' }, { type: 'log' }, { type: 'stashes' }])
          await visitor.call('git', 1, ask);
        return unless(!existsSync(mark), 'a program of the repository ran');
      }),
  },
  ...HOSTILE.map(asProject),
];
