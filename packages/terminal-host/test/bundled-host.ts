/**
 * Bundles the terminal host program as the build does: one file, beside the packages, so that it finds its native
 * module.
 */
import { mkdirSync, mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'rolldown';

const here = (name: string) => fileURLToPath(new URL(name, import.meta.url));

export async function bundleTerminalHost(): Promise<string> {
  const cache = here('../../../node_modules/.cache');
  mkdirSync(cache, { recursive: true });
  const file = join(mkdtempSync(join(cache, 'tugdeck-terminals-')), 'terminal-host.mjs');
  await build({
    input: here('../src/main.ts'),
    platform: 'node',
    external: ['@lydell/node-pty'],
    logLevel: 'silent',
    output: { file, format: 'esm' },
  });
  return file;
}
