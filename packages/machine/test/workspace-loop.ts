/** Creates, archives and restores a workspace again and again until it is killed: `DATA PROJECT`. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT, workspacePlace } from './workspace-fixture.ts';

const [data = '', project = ''] = process.argv.slice(2);
const { workspaces } = workspacePlace(data, project);
process.stdout.write('started\n');
const { id } = await workspaces.create(PROJECT, { title: 'work' }, 'w1');
const { path } = await workspaces.ready(id);
execFileSync('git', ['commit', '-q', '--allow-empty', '-m', 'own'], { cwd: path });
writeFileSync(join(path, 'README.md'), 'changed\n');
writeFileSync(join(path, 'new.txt'), 'new\n');
writeFileSync(join(data, 'worked'), '');
for (;;) {
  await workspaces.archive(id);
  await workspaces.restore(id);
}
