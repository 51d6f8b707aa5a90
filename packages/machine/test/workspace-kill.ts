/**
 * Performs operations on a workspace and kills itself with SIGKILL at one moment of one step, or after some time:
 * `DATA PROJECT KIND STEP begun|performed` or `DATA PROJECT KIND after MS`.
 */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { StoredWorkspace } from '@tugdeck/store/workspace-table';
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
/** The operation itself is what is killed, not the ones before it. */
const count = (name: string) => {
  if (step === 'after' && name === kind) setTimeout(die, Number(moment));
};

count('create');
const { id } = await workspaces.create(PROJECT, { title: 'work', withChanges: true }, 'w1');
const { path } = await workspaces.ready(id);
work(path);
writeFileSync(join(data, 'worked'), '');
count('archive');
await workspaces.archive(id);
count('restore');
await workspaces.restore(id);
// It came to its end before it was killed: the caller sees no kill.
await workspaces.close();
store.close();
process.exit(existsSync(path) ? 0 : 1);
