/** Error codes of forges, with a program in place of gh. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { forge } from '@tugdeck/machine/forge/forge-cli';
import { type ErrorCases, rejectionOf } from './world.ts';

/** Runs `gh` with a script instead of it. */
function call(folder: string, script?: string): Promise<unknown> {
  mkdirSync(folder, { recursive: true });
  if (script !== undefined) writeFileSync(join(folder, 'gh'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return forge({ environment: { PATH: folder }, host: 'localhost', args: ['api', 'user'] });
}

export const FORGE_CASES = {
  FORGE_MISSING: { provoke: ({ base }) => rejectionOf(call(join(base, 'no-gh'))) },
  FORGE_SIGNED_OUT: {
    provoke: ({ base }) =>
      rejectionOf(call(join(base, 'signed-out'), 'echo "To get started, run: gh auth login" >&2; exit 4')),
  },
  FORGE_FAILED: {
    provoke: ({ base }) => rejectionOf(call(join(base, 'failing'), 'echo "HTTP 502" >&2; exit 1')),
    says: 'HTTP 502',
  },
} satisfies ErrorCases;
