/** OpenCode's web app, from the pinned binary of the tests. */
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { agentFolder } from '@tugdeck/testkit/agents';
import { cleanEnvironment } from '@tugdeck/testkit/clean-env';
import { freePort } from '@tugdeck/testkit/free-port';
import { createSandbox } from '@tugdeck/testkit/temp';
import { type Peer, ServedProgram } from './peer.ts';
import { openCodeExport, type Turn } from './story.ts';

export async function openCode(story: readonly Turn[]): Promise<Peer> {
  const sandbox = await createSandbox({ files: { 'readme.md': '# Project\n' } });
  const command = join(agentFolder('opencode'), 'opencode');
  const env = cleanEnvironment(sandbox, { extra: { OPENCODE_DISABLE_AUTOUPDATE: '1', BROWSER: 'true' } });
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const program = new ServedProgram();
  const start = () =>
    program.start(command, ['web', '--port', String(port)], { cwd: sandbox.project, env, url: `${origin}/` });

  await start();
  const made = await fetch(`${origin}/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ title: 'Long' }),
  });
  const info = (await made.json()) as { id: string };
  await program.stop();
  const file = join(sandbox.root, 'long.json');
  await writeFile(file, JSON.stringify(openCodeExport(story, info, sandbox.project)));
  await promisify(execFile)(command, ['import', file], { cwd: sandbox.project, env });
  const folder = Buffer.from(sandbox.project).toString('base64url');
  return {
    name: 'OpenCode',
    start,
    signIn: async () => undefined,
    address: () => `${origin}/${folder}/session/${info.id}`,
    memory: () => program.memory(),
    stop: () => program.stop(),
    async dispose() {
      await program.stop();
      await sandbox.dispose();
    },
  };
}
