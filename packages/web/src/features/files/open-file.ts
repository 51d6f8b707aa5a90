/** Opens a file in a card, for the tree, quick open and search. An open file comes to the front at the line. */
import { cell } from '../../kit/cell.ts';
import { changeLayout, layout } from '../../kit/layout/dock.ts';
import { changeCard } from '../../kit/layout/edit-layout.ts';
import { frontSession } from '../../kit/layout/front-session.ts';
import { groupsOf } from '../../kit/layout/layout.ts';
import { findCard, openCard, showCard, type Where } from '../../kit/layout/open-card.ts';
import { hasTemporaryTabs, keepOpen } from '../../kit/layout/temporary.ts';
import { fileItem, parseItem } from './file-item.ts';

/** The last requested position; its editor scrolls there. */
export const requestedPlace = cell<{ project: string; path: string; line: number } | undefined>(undefined);

/** Below this width a file covers the tree instead of opening beside it. */
const ROOM_FOR_TWO = 720;

/** Widths on the stage, in pixels: of a file beside a conversation, and of that conversation. */
const FILE_WIDTH = 560;
const CONVERSATION_WIDTH = 420;

/** Beside a conversation if both have room, otherwise as a tab over it (D23). */
export function shareBeside(width: number): number | undefined {
  return width >= FILE_WIDTH + CONVERSATION_WIDTH ? Math.max(1 / 2, FILE_WIDTH / width) : undefined;
}

/** With other open files; otherwise beside a wide tree, or on the stage beside the conversation in front. */
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
  if (group && tree && group.front === tree.id && width >= ROOM_FOR_TWO)
    return { beside: group.id, side: 'right', share: 2 / 3 };
  const talk = findCard(now, 'conversation', { session: frontSession.get() ?? '' });
  const stage = talk && groupsOf(now).find(({ cards }) => cards.includes(talk.id));
  if (!talk || !stage) return undefined;
  const share = shareBeside(document.getElementById(`card-${talk.id}`)?.clientWidth ?? 0);
  return share === undefined ? { group: stage.id } : { beside: stage.id, side: 'right', share };
}

/** `isTemporary`: in a tab that the next one replaces (D48). */
export function openFile(project: string, path: string, line?: number, { isTemporary = false } = {}): void {
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
  if (open) {
    showCard(open.id);
    if (!isTemporary) keepOpen(open.id);
  } else if (empty) {
    changeLayout((old) =>
      changeCard(old, empty.id, (card) => ({ ...card, params: { project, item: fileItem(path) } })),
    );
    showCard(empty.id);
  } else {
    const id = openCard('file', { project, item: fileItem(path) }, placeForFile(), {
      isTemporary: isTemporary && hasTemporaryTabs(),
    });
    if (id !== undefined) showCard(id);
  }
  if (line !== undefined) requestedPlace.set({ project, path, line });
}
