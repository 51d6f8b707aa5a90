/** What a hostile repository can try when it is only looked at. */
import { execFileSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Attack, unless, withVisitor } from './attack.ts';

export const REPOSITORY: readonly Attack[] = [
  {
    who: 'repository',
    name: 'runs programs by its own configuration when its status, diff and log are read',
    run: (world) =>
      withVisitor(world, async (visitor, project) => {
        const root = world.deck.sandbox.project;
        const mark = join(root, '..', 'repository-ran');
        const git = (...args: string[]) =>
          execFileSync('git', ['-C', root, '-c', 'user.name=x', '-c', 'user.email=x@x', ...args], {
            stdio: 'ignore',
          });
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
          await visitor.ask('git', 1, ask);
        return unless(!existsSync(mark), 'a program of the repository ran');
      }),
  },
];
