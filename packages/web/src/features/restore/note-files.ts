/** After files alone were restored, the next message carries their names, so that the agent reads them again (T18). */
import type { RestorePreview } from '@tugdeck/protocol/conversation/restore';
import { trayOf } from '../attachments/tray.ts';
import type { Choices } from './RestoreFileGroup.tsx';

const NAME = 'restored-files.md';
const CHANGING: ReadonlySet<string> = new Set(['restored', 'recreated', 'removed', 'merged']);

type Files = Pick<RestorePreview, 'files' | 'more'>;

/** The text for the agent; undefined if no file changed. Files that stay change if the user chose so (T12). */
export function filesNote({ files, more }: Files, choices: Choices = {}): string | undefined {
  const isChosen = (path: string) => (choices[path] ?? 'mine') !== 'mine';
  const changed = files.filter(({ path, state }) => CHANGING.has(state) || isChosen(path));
  if (changed.length === 0) return undefined;
  const isRemoved = (state: string) => state === 'removed' || state === 'guarded';
  const lines = changed.map(({ path, state }) => `- ${path}${isRemoved(state) ? ' (removed)' : ''}`);
  const rest = more > 0 ? [`- and ${more} more`] : [];
  return [
    'The user restored these files to an earlier version. Read them again before you rely on them.',
    '',
    ...lines,
    ...rest,
    '',
  ].join('\n');
}

/** Attaches the note, which the user sees and can remove. A newer one replaces it. */
export function attachFilesNote(session: string, preview: Files, choices?: Choices): void {
  const tray = trayOf(session);
  for (const { id, name } of tray.state.get().files) if (name === NAME) tray.remove(id);
  const text = filesNote(preview, choices);
  if (text !== undefined) tray.add([new File([text], NAME, { type: 'text/markdown' })]);
}
