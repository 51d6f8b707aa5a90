// Where the pinned real agents are. They are installed by ../install-agents.mjs into ../agents, outside the
// workspaces, so that a developer's own agents are never started by a test.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const modules = fileURLToPath(new URL('../agents/node_modules/', import.meta.url));

const manifest = new URL('../agents/package.json', import.meta.url);
const pinned = JSON.parse(readFileSync(manifest, 'utf8')) as { dependencies: Record<string, string> };

/** The exact version that agents/package.json pins. */
export const claudeVersion = pinned.dependencies['@anthropic-ai/claude-code'] ?? 'unpinned';

/** The native binary itself: the npm wrapper around it wants a newer Node than we support. */
export function claudeBinary(): string {
  const platform = `${process.platform}-${process.arch}`;
  const name = process.platform === 'win32' ? 'claude.exe' : 'claude';
  for (const variant of [platform, `${platform}-musl`]) {
    const path = join(modules, '@anthropic-ai', `claude-code-${variant}`, name);
    if (existsSync(path)) return path;
  }
  throw new Error(
    `No claude ${claudeVersion} for ${platform} in testkit/agents. Run \`node scripts/test.mjs\`, which installs ` +
      'the agents, or `node testkit/install-agents.mjs` alone.',
  );
}

/** The folder to put first on PATH so that a program under test finds the pinned `claude`. */
export function claudeFolder(): string {
  return dirname(claudeBinary());
}
