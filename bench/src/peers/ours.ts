/** Tugdeck, measured like the other products: a conversation that Claude Code wrote, opened by URL. */
import { randomUUID } from 'node:crypto';
import { mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { externalId } from '@tugdeck/local/external-id';
import { Product } from '../kit/product.ts';
import { signIn } from '../kit/sign-in.ts';
import { type Peer, treeMemory } from './peer.ts';
import { claudeTranscript, type Turn } from './story.ts';

/** The place where Claude Code keeps the sessions of a directory. */
export function writeClaudeSession(home: string, project: string, story: readonly Turn[]): string {
  const session = randomUUID();
  const cwd = realpathSync(project);
  const folder = join(home, '.claude/projects', cwd.replaceAll(/[^a-zA-Z0-9]/g, '-'));
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${session}.jsonl`), claudeTranscript(story, session, cwd));
  return session;
}

export async function ours(story: readonly Turn[]): Promise<Peer> {
  const product = await Product.prepare();
  const session = writeClaudeSession(product.sandbox.home, product.sandbox.project, story);
  return {
    name: 'Tugdeck',
    start: () => product.start(),
    async signIn(page) {
      await signIn(page.context(), (await product.run('url')).trim());
    },
    address: () => `${product.origin}/#/session/${externalId('claude', session)}`,
    memory: () => treeMemory(product.pid),
    stop: () => product.killServer(),
    dispose: () => product.close(),
  };
}
