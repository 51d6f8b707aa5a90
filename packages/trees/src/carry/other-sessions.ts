/** What other sessions did in the same folder: their turns and their restores. Nothing of it is reverted (T4). */
import { basename } from 'node:path';
import type { Shadow } from '../shadow.ts';
import { readTurnSpans, type TurnSpan } from '../turn-bounds.ts';
import { carriedPaths } from './carried-files.ts';
import { reachedTree } from './carry.ts';
import { listOperations, type Operation } from './operation.ts';

/** Turns of the other sessions in the same folder. `fileOf`: the record of a session. */
export async function otherTurns(
  shadow: Shadow,
  session: string,
  fileOf: (session: string) => string,
): Promise<TurnSpan[]> {
  const text = await shadow.text(['for-each-ref', '--format=%(refname)', 'refs/trees/', 'refs/adopted/']);
  /** The folder from which the trees of a session were adopted; undefined for the others. */
  const folders = new Map<string, string | undefined>();
  for (const ref of text.split('\n').filter(Boolean)) {
    const [, kind, second = '', third, fourth = ''] = ref.split('/');
    if (kind === 'trees' && !folders.has(second)) folders.set(second, undefined);
    if (kind === 'adopted' && third === 'trees') folders.set(fourth, second);
  }
  folders.delete(session);
  // Earlier versions recorded no place: it was the adopted folder, or else the main worktree.
  const main = basename(shadow.directory);
  const all = await Promise.all(
    [...folders].map(async ([name, folder = main]) =>
      inPlace(await readTurnSpans(fileOf(name)), shadow.place, folder),
    ),
  );
  return all.flat();
}

/** Leaves out turns in other folders of the repository, whose trees have other files. `unnamed`: the folder of records without one. */
export function inPlace(turns: readonly TurnSpan[], place: string, unnamed = place): TurnSpan[] {
  return turns.filter(({ start, end }) => (start?.place ?? end?.place ?? unnamed) === place);
}

/**
 * Restores by other sessions in the same folder: a turn that was running did not make their changes. `directoryOf`: the
 * operations of a session.
 */
export async function otherRestores(
  shadow: Shadow,
  session: string,
  directoryOf: (session: string) => string,
): Promise<TurnSpan[]> {
  const text = await shadow.text(['for-each-ref', '--format=%(refname)', 'refs/restores/']);
  const kept = new Set(text.split('\n').filter(Boolean));
  const names = new Set([...kept].map((ref) => ref.split('/')[2] ?? ''));
  names.delete(session);
  const spans: TurnSpan[] = [];
  for (const name of names) {
    for (const operation of listOperations(directoryOf(name))) {
      const { id, place = basename(shadow.directory) } = operation;
      const hasTrees =
        kept.has(`refs/restores/${name}/${id}/now`) && kept.has(`refs/restores/${name}/${id}/result`);
      if (hasTrees && place === shadow.place) spans.push(await spanOf(shadow, operation));
    }
  }
  return spans;
}

async function spanOf(shadow: Shadow, operation: Operation): Promise<TurnSpan> {
  const { id: turn, at, now, ended } = operation;
  const end = ended ? operation : { ...operation, ended: await cutOff(shadow, operation) };
  const tree = await reachedTree(shadow, end);
  return {
    turn,
    start: { turn, bound: 'start', at, tree: now },
    end: { turn, bound: 'end', at: ended?.at ?? at, tree },
  };
}

/** A restore that was interrupted and never finished: the files that it had changed by then. */
async function cutOff(
  { project }: Shadow,
  { at, rows }: Operation,
): Promise<NonNullable<Operation['ended']>> {
  const carried = await carriedPaths(project, rows);
  return { outcome: 'abandoned', at, written: 0, removed: 0, left: [], carried };
}
