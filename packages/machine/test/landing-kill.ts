/**
 * Creates a workspace and lands it, and is killed when a step begins, or when its work is done but not noted:
 * `DATA PROJECT METHOD STEP begun|performed`, or before a change of the disk: `DATA PROJECT METHOD point NUMBER`.
 */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LandMethod } from '@tugdeck/protocol/workspaces/landing';
import type { StoredWorkspace } from '@tugdeck/store/workspace-table';
import { killBefore } from './kill-points.ts';
import { PROJECT, workspacePlace } from './workspace-fixture.ts';

const [data = '', project = '', method = '', stop = '', moment = ''] = process.argv.slice(2);
const at = (when: string) => (row: StoredWorkspace) => {
  if (moment === when && row.op?.kind === 'land' && row.op.step === stop)
    process.kill(process.pid, 'SIGKILL');
};
const { workspaces } = workspacePlace(data, project, {
  settings: { check: 'true' },
  reached: at('begun'),
  performed: at('performed'),
});
const { path } = await workspaces.ready((await workspaces.create(PROJECT, { title: 'work' }, 'w1')).id);
writeFileSync(join(path, 'src/a.ts'), 'own\n');
execFileSync('git', ['commit', '-qam', 'own'], { cwd: path });
writeFileSync(join(path, 'new.txt'), 'new\n');
execFileSync('git', ['commit', '-q', '--allow-empty', '-m', 'base'], { cwd: project });
if (stop === 'hook') {
  // In the middle of the result commit. Git itself finishes, or aborts if it has no message yet.
  const note = join(data, 'git-pid');
  const hook = `#!/bin/sh\n[ "$(git log -1 --format=%s)" = base ] && echo $PPID >'${note}' && kill -9 ${process.pid}\nexit 0\n`;
  writeFileSync(join(project, '.git/hooks/pre-commit'), hook, { mode: 0o755 });
}
const { base = '', head = '' } = await workspaces.landing.look('w1', { method: method as LandMethod });
const stopCounting = stop === 'point' ? killBefore(Number(moment), join(data, '..')) : undefined;
const { end } = await workspaces.landing.begin('w1', { base, head, method: method as LandMethod });
await end;
stopCounting?.();
await workspaces.close();
