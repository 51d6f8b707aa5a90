/**
 * CloudCLI, which reads the same Claude Code files as we do. Installed by hand, because it compiles native code:
 * TUGDECK_BENCH_CLOUDCLI names the folder with its `node_modules`.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { cleanEnvironment } from '@tugdeck/testkit/clean-env';
import { freePort } from '@tugdeck/testkit/free-port';
import { createSandbox } from '@tugdeck/testkit/temp';
import { writeClaudeSession } from './ours.ts';
import { type Peer, ServedProgram } from './peer.ts';
import type { Turn } from './story.ts';

const PACKAGE = 'node_modules/@siteboon/claude-code-ui';

export async function cloudCli(story: readonly Turn[]): Promise<Peer> {
  const folder = process.env.TUGDECK_BENCH_CLOUDCLI;
  const main = join(folder ?? '', PACKAGE, 'server/index.js');
  if (!folder || !existsSync(main))
    throw new Error('no CloudCLI: TUGDECK_BENCH_CLOUDCLI names no folder with it');
  const sandbox = await createSandbox({ files: { 'readme.md': '# Project\n' } });
  const session = writeClaudeSession(sandbox.home, sandbox.project, story);
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const env = cleanEnvironment(sandbox, {
    extra: { PORT: String(port), DATABASE_PATH: join(sandbox.data, 'auth.db'), NODE_ENV: 'production' },
  });
  const program = new ServedProgram();
  const start = () =>
    program.start(process.execPath, [main], { cwd: sandbox.project, env, url: `${origin}/` });

  await start();
  const post = (path: string, body: object, token = '') =>
    fetch(origin + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify(body),
    });
  const registered = await post('/api/auth/register', { username: 'bench', password: 'a long password' });
  const { token } = (await registered.json()) as { token: string };
  await program.stop();
  return {
    name: 'CloudCLI',
    start,
    async signIn(page) {
      await page.addInitScript((word) => localStorage.setItem('auth-token', word), token);
    },
    address: () => `${origin}/session/${session}`,
    memory: () => program.memory(),
    stop: () => program.stop(),
    async dispose() {
      await program.stop();
      await sandbox.dispose();
    },
  };
}
