/**
 * Hands a session off to a new workspace, with the changes of the checkout, and is killed with SIGKILL at one moment
 * of a step: `DATA PROJECT STEP begun|performed`.
 */
import type { StoredWorkspace } from '@tugdeck/store/workspace-table';
import { handOff, handoffPlace } from './handoff-place.ts';

const [data = '', project = '', step = '', moment = ''] = process.argv.slice(2);
const at = (when: string) => (row: StoredWorkspace) => {
  if (moment === when && row.op?.kind === 'handoff' && row.op.step === step)
    process.kill(process.pid, 'SIGKILL');
};
const place = handoffPlace(data, project, { reached: at('begun'), performed: at('performed') });
await handOff(place, 'new', true);
