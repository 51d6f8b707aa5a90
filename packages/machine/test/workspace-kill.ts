/**
 * Performs operations on a workspace and kills itself with SIGKILL at one moment of one step, or before a
 * change of the disk: `DATA PROJECT KIND STEP begun|performed` or `DATA PROJECT KIND point NUMBER`. `missing` is
 * restoring a folder that was deleted by hand.
 */
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { StoredWorkspace } from '@tugdeck/store/workspace-table';
import { killBefore } from './kill-points.ts';
import { PROJECT, workspacePlace } from './workspace-fixture.ts';
import { work } from './workspace-work.ts';

const [data = '', project = '', kind = '', step = '', moment = ''] = process.argv.slice(2);
const die = () => process.kill(process.pid, 'SIGKILL');
const at = (when: string) => (row: StoredWorkspace) => {
  if (moment === when && row.op?.kind === kind && row.op.step === step) die();
};
const { workspaces, store } = workspacePlace(data, project, {
  settings: { setup: 'true' },
  reached: at('begun'),
  performed: at('performed'),
});
let end: (() => void) | undefined;
/** The operation itself is what is killed, not the ones before and after it. */
const count = (name: string) => {
  end?.();
  end = undefined;
  if (step === 'point' && name === kind) end = killBefore(Number(moment), join(data, '..'));
};

count('create');
const { id } = await workspaces.create(PROJECT, { title: 'work', withChanges: true }, 'w1');
const { path } = await workspaces.ready(id);
count('work');
work(path);
writeFileSync(join(data, 'worked'), '');
if (kind === 'missing') {
  rmSync(path, { recursive: true });
  count('missing');
  await workspaces.restore(id);
  await workspaces.ready(id);
  count('end');
  process.exit(0);
}
count('archive');
await workspaces.archive(id);
count('restore');
await workspaces.restore(id);
count('end');
// It came to its end before it was killed: the caller sees no kill.
await workspaces.close();
store.close();
process.exit(existsSync(path) ? 0 : 1);
