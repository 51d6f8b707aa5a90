/** After files alone were restored, the next message carries their names, so that the agent reads them again (T18). */
import type { RestorePreview } from '@tugdeck/protocol/conversation/restore';
import { trayOf } from '../attachments/tray.ts';

const NAME = 'restored-files.md';
const CHANGING: ReadonlySet<string> = new Set(['restored', 'recreated', 'removed', 'merged']);

/** The text for the agent; undefined if no file changed. */
export function filesNote({ files, more }: Pick<RestorePreview, 'files' | 'more'>): string | undefined {
  const changed = files.filter(({ state }) => CHANGING.has(state));
  if (changed.length === 0) return undefined;
  const lines = changed.map(({ path, state }) => `- ${path}${state === 'removed' ? ' (removed)' : ''}`);
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
export function attachFilesNote(session: string, preview: Pick<RestorePreview, 'files' | 'more'>): void {
  const tray = trayOf(session);
  for (const { id, name } of tray.state.get().files) if (name === NAME) tray.remove(id);
  const text = filesNote(preview);
  if (text !== undefined) tray.add([new File([text], NAME, { type: 'text/markdown' })]);
}
