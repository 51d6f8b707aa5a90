/** Opens a file in a card, for the tree, quick open and search. An open file comes to the front at the line. */
import { cell } from '../../kit/cell.ts';
import { changeLayout, layout } from '../../kit/layout/dock.ts';
import { changeCard } from '../../kit/layout/edit-layout.ts';
import { groupsOf } from '../../kit/layout/layout.ts';
import { openCard, showCard, type Where } from '../../kit/layout/open-card.ts';
import { fileItem, parseItem } from './file-item.ts';

/** The last requested position; its editor scrolls there. */
export const requestedPlace = cell<{ project: string; path: string; line: number } | undefined>(undefined);

/** Below this width a file covers the tree instead of opening beside it. */
const ROOM_FOR_TWO = 720;

/** With other open files; otherwise beside the tree if there is room. */
function placeForFile(): Where | undefined {
  const now = layout.get();
  const groupOf = (kind: string) =>
    groupsOf(now).find(({ cards }) =>
      cards.some((card) => now.cards.some((one) => one.id === card && one.kind === kind)),
    );
  const others = groupOf('file');
  if (others) return { group: others.id };
  const tree = now.cards.find(({ kind }) => kind === 'files');
  const group = groupOf('files');
  const width = tree ? (document.getElementById(`card-${tree.id}`)?.clientWidth ?? 0) : 0;
  return group && tree && group.front === tree.id && width >= ROOM_FOR_TWO
    ? { beside: group.id, side: 'right', share: 2 / 3 }
    : undefined;
}

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
    const id = openCard('file', { project, item: fileItem(path) }, placeForFile());
    if (id !== undefined) showCard(id);
  }
  if (line !== undefined) requestedPlace.set({ project, path, line });
}
