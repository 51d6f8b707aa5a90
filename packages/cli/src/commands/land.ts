/** `tugdeck workspaces land` (B41): prints what would happen, then lands, and waits for the end. */
import { visibleText } from '@tugdeck/protocol/visible-text';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import { type LandMethod, type LandPreview, landMethodSchema } from '@tugdeck/protocol/workspaces/landing';
import { UsageError } from '../command-line.ts';
import type { Context } from './context.ts';
import { callServer } from './workspace-server.ts';

const EXIT = { done: 0, refused: 3, checkFailed: 4 } as const;
const REFUSED = new Set([
  'LAND_CONFLICT',
  'LAND_MOVED',
  'WORKSPACE_BUSY',
  'WORKSPACE_MISSING',
  'GIT_UNSAFE',
  'GIT_FAILED',
]);

export async function land(context: Context, names: readonly string[]): Promise<number> {
  const [name, ...more] = names;
  if (name === undefined || more.length > 0) throw new UsageError('workspaces land needs one NAME');
  const { flags, values } = context.line;
  const method = methodOf(values.method);
  const choice = {
    ...(method === undefined ? {} : { method }),
    ...(values.onto === undefined ? {} : { onto: values.onto }),
  };
  try {
    const { landing } = await callServer(context, { act: 'land.look', name, choice });
    if (!landing) throw new CodedError('INTERNAL_ERROR');
    context.note(describe(landing));
    if (landing.refusal !== undefined) return EXIT.refused;
    if (flags.has('dry-run')) return (landing.conflicts?.length ?? 0) > 0 ? EXIT.refused : EXIT.done;
    const { base, head } = landing;
    if (base === undefined || head === undefined) throw new CodedError('INTERNAL_ERROR');
    const request = {
      ...choice,
      ...{ base, head },
      ...(values.message === undefined ? {} : { message: values.message }),
      ...(flags.has('leave') ? { leave: true } : {}),
      ...(flags.has('anyway') ? { anyway: true } : {}),
    };
    const { rows } = await callServer(context, { act: 'land', name, request });
    for (const row of rows) {
      const { commit, onto = '' } = row.landed ?? {};
      context.print(
        flags.has('json')
          ? JSON.stringify(row)
          : visibleText(commit === undefined ? `changes in the checkout` : `${commit} on ${onto}`),
      );
    }
    return EXIT.done;
  } catch (error) {
    if (!(error instanceof CodedError)) throw error;
    if (error.code !== 'CHECK_FAILED' && !REFUSED.has(error.code)) throw error;
    context.note(visibleText(`tugdeck: ${name}: ${error.message} (${error.code})`));
    return error.code === 'CHECK_FAILED' ? EXIT.checkFailed : EXIT.refused;
  }
}

function methodOf(text: string | undefined): LandMethod | undefined {
  if (text === undefined) return undefined;
  const { data } = landMethodSchema.safeParse(text);
  if (!data) throw new UsageError(`--method must be one of ${landMethodSchema.options.join(', ')}`);
  return data;
}

function describe(landing: LandPreview): string {
  const { onto, uncommitted, ahead, behind, conflicts, unfinished, checkout, carry, check, refusal } =
    landing;
  return visibleText(
    [
      `${landing.method} onto ${onto ?? '(no branch)'}: commits: ${ahead}, uncommitted files: ${uncommitted}`,
      ...(behind > 0 ? [`Commits of ${onto} that the workspace lacks: ${behind}`] : []),
      ...(conflicts === undefined || conflicts.length === 0 ? [] : [`Conflicts: ${conflicts.join(', ')}`]),
      ...(unfinished ? [`Unfinished ${unfinished.operation}: ${unfinished.conflicts.join(', ')}`] : []),
      ...(checkout && checkout.blocking.length > 0
        ? [`Blocked by files in ${checkout.path}: ${checkout.blocking.join(', ')}`]
        : []),
      ...(carry
        ? [`Files to copy into the checkout: ${carry.files}, of which ${carry.merged} are merged`]
        : []),
      ...(check === undefined ? [] : [`Check: ${check}`]),
      ...(refusal === undefined ? [] : [refusal]),
    ].join('\n'),
  );
}
