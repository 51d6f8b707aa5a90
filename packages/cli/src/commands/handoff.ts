/** `tugdeck workspaces handoff` (B72): prints what would be copied, then moves the session. */
import { visibleText } from '@tugdeck/protocol/visible-text';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import { UsageError } from '../command-line.ts';
import type { Context } from './context.ts';
import { callServer } from './workspace-server.ts';

const EXIT = { done: 0, refused: 3 } as const;
const REFUSED = new Set([
  'WORKSPACE_BUSY',
  'WORKSPACE_UNSAFE',
  'WORKSPACE_MISSING',
  'GIT_CHANGED',
  'GIT_FAILED',
]);

export async function handOff(context: Context, names: readonly string[]): Promise<number> {
  const [session, ...more] = names;
  const { flags, values } = context.line;
  const { to } = values;
  if (session === undefined || more.length > 0 || to === undefined) {
    throw new UsageError('workspaces handoff needs a session id and --to');
  }
  try {
    const { handoff } = await callServer(context, { act: 'handoff.look', choice: { session, to } });
    if (!handoff) throw new CodedError('INTERNAL_ERROR');
    const { files, merged, conflicts, refusal, hash } = handoff;
    context.note(`Files to copy: ${files}, of which ${merged} are merged`);
    if (conflicts.length > 0)
      context.note(visibleText(`Changed on both sides, or too large: ${conflicts.join(', ')}`));
    if (refusal !== undefined) context.note(visibleText(refusal));
    if (refusal !== undefined || conflicts.length > 0) return EXIT.refused;
    if (flags.has('dry-run')) return EXIT.done;
    const request = { session, to, hash, ...(flags.has('take') ? { take: true } : {}) };
    const { rows } = await callServer(context, { act: 'handoff', request });
    for (const row of rows) context.print(flags.has('json') ? JSON.stringify(row) : visibleText(row.path));
    return EXIT.done;
  } catch (error) {
    if (!(error instanceof CodedError) || !REFUSED.has(error.code)) throw error;
    context.note(visibleText(`tugdeck: ${error.message} (${error.code})`));
    return EXIT.refused;
  }
}
