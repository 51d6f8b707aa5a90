/** Opens a file in its card, for the tree, quick open, hits of a search. An open one comes forward, at the line. */
import { changeLayout, layout } from '../../app/dock/dock.ts';
import { changeCard } from '../../app/dock/edit-layout.ts';
import { openCard, showCard } from '../../app/dock/open-card.ts';
import { cell } from '../../ui/cell.ts';
import { fileItem, parseItem } from './file-item.ts';

/** The last place that somebody asked to see; its editor goes there. */
export const wantedPlace = cell<{ project: string; path: string; line: number } | undefined>(undefined);

export function openFile(project: string, path: string, line?: number): void {
  const open = layout
    .get()
    .cards.find(
      ({ kind, params }) =>
        kind === 'file' &&
        params.project === project &&
        params.item !== undefined &&
        parseItem(params.item).path === path,
    );
  const empty = layout.get().cards.find(({ kind, params }) => kind === 'file' && params.item === undefined);
  if (open) showCard(open.id);
  else if (empty) {
    changeLayout((old) =>
      changeCard(old, empty.id, (card) => ({ ...card, params: { project, item: fileItem(path) } })),
    );
    showCard(empty.id);
  } else {
    const id = openCard('file', { project, item: fileItem(path) });
    if (id !== undefined) showCard(id);
  }
  if (line !== undefined) wantedPlace.set({ project, path, line });
}
