/** Starts three attempts and chooses the first; is killed with SIGKILL at one moment: `DATA PROJECT MOMENT`. */
import { attemptsPlace, PROJECT, REQUEST } from './attempts-fixture.ts';

const [data = '', project = '', moment = ''] = process.argv.slice(2);
const { attempts, store, workspaces } = attemptsPlace(data, project, {
  passed: (passed) => {
    if (passed === moment) process.kill(process.pid, 'SIGKILL');
  },
});
await attempts.start(PROJECT, REQUEST);
while (store.attempts.get(REQUEST.id)?.op) {
  for (const { workspace } of REQUEST.attempts) await workspaces.shared.settle(workspace);
  await new Promise((resolve) => setImmediate(resolve));
}
await attempts.choose(PROJECT, REQUEST.id, REQUEST.attempts[0]?.session ?? '');
