/**
 * Hands a session off to a new workspace, with the changes of the checkout, and is killed with SIGKILL at one moment
 * of a step: `DATA PROJECT STEP begun|performed`, or before a change of the disk: `DATA PROJECT point NUMBER`. With
 * `DATA PROJECT back NUMBER` it is killed while the session goes back to the checkout.
 */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { StoredWorkspace } from '@tugdeck/store/workspace-table';
import { handOff, handoffPlace } from './handoff-place.ts';
import { killBefore } from './kill-points.ts';

const [data = '', project = '', step = '', moment = ''] = process.argv.slice(2);
let stopCounting: (() => void) | undefined;
const count = () => {
  stopCounting ??= killBefore(Number(moment), join(data, '..'));
};
const at = (when: string) => (row: StoredWorkspace) => {
  if (row.op?.kind !== 'handoff') return;
  if (moment === when && row.op.step === step) process.kill(process.pid, 'SIGKILL');
  if (step === 'point' && when === 'begun') count();
};
const place = handoffPlace(data, project, { reached: at('begun'), performed: at('performed') });
const { path } = await handOff(place, 'new', true);
if (step === 'back') {
  writeFileSync(join(path, 'own.txt'), 'own\n');
  execFileSync('git', ['commit', '-qam', 'own'], { cwd: path });
  count();
  await handOff(place, 'checkout');
}
stopCounting?.();
await place.close();
