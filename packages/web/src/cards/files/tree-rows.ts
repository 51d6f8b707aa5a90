/** The tree as visible rows from top to bottom. Pure. */
import type { FileEntry, FileMark, Listing } from '@tugdeck/protocol/files/messages';
import { joinPath } from '@tugdeck/protocol/files/paths';

export interface TreeRow {
  readonly path: string;
  readonly name: string;
  readonly kind: FileEntry['kind'] | 'more' | 'new';
  readonly level: number;
  readonly isOpen: boolean;
  readonly isLink: boolean;
  readonly mark: FileMark | undefined;
  /** Position among its siblings, and their number. */
  readonly place: number;
  readonly siblings: number;
  /** An expanded folder that is not loaded yet. */
  readonly isLoading: boolean;
}

export interface TreeInput {
  readonly listings: ReadonlyMap<string, Listing>;
  readonly opened: ReadonlySet<string>;
  /** The folder in which a new name is being typed. */
  readonly adding?: { readonly folder: string } | undefined;
}

export function treeRows({ listings, opened, adding }: TreeInput): TreeRow[] {
  const rows: TreeRow[] = [];
  const add = (folder: string, level: number, isIgnored: boolean) => {
    const listing = listings.get(folder);
    if (adding?.folder === folder) rows.push(rowOf({ path: `${folder}/`, name: '', kind: 'new', level }));
    if (!listing) return;
    const siblings = listing.entries.length;
    for (const [index, entry] of listing.entries.entries()) {
      const path = joinPath(folder, entry.name);
      const isOpen = entry.kind === 'folder' && opened.has(path);
      const mark = entry.mark ?? (isIgnored ? '!' : undefined);
      const isLoading = isOpen && !listings.has(path);
      rows.push(
        rowOf({
          path,
          name: entry.name,
          kind: entry.kind,
          level,
          isOpen,
          isLink: entry.isLink === true,
          mark,
          place: index + 1,
          siblings,
          isLoading,
        }),
      );
      if (isOpen) add(path, level + 1, mark === '!');
    }
    if (listing.left > 0) {
      rows.push(rowOf({ path: `${folder}/…`, name: `${listing.left} more`, kind: 'more', level }));
    }
  };
  add('', 1, false);
  return rows;
}

function rowOf(row: Pick<TreeRow, 'path' | 'name' | 'kind' | 'level'> & Partial<TreeRow>): TreeRow {
  return { isOpen: false, isLink: false, mark: undefined, place: 1, siblings: 1, isLoading: false, ...row };
}

export type TreeMove =
  | { readonly kind: 'choose'; readonly path: string }
  | {
      readonly kind: 'fold' | 'unfold' | 'open' | 'rename' | 'delete' | 'undo' | 'menu';
      readonly path: string;
    };

/** The tree's reaction to a key; undefined for other keys. */
export function treeMove(
  rows: readonly TreeRow[],
  chosen: string | undefined,
  key: string,
  { isModified }: { isModified: boolean },
): TreeMove | undefined {
  const at = rows.findIndex(({ path }) => path === chosen);
  const row = rows[at];
  const to = (index: number): TreeMove | undefined => {
    const next = rows[Math.max(0, Math.min(rows.length - 1, index))];
    return next && { kind: 'choose', path: next.path };
  };
  if (isModified) return key.toLowerCase() === 'z' ? { kind: 'undo', path: '' } : undefined;
  switch (key) {
    case 'ArrowDown':
      return to(at + 1);
    case 'ArrowUp':
      return to(at < 0 ? 0 : at - 1);
    case 'PageDown':
      return to(at + PAGE);
    case 'PageUp':
      return to(at - PAGE);
    case 'Home':
      return to(0);
    case 'End':
      return to(rows.length - 1);
  }
  if (!row) return undefined;
  const { path, kind, isOpen } = row;
  switch (key) {
    case 'ArrowRight':
      if (kind !== 'folder') return undefined;
      return isOpen ? to(at + 1) : { kind: 'unfold', path };
    case 'ArrowLeft': {
      if (isOpen) return { kind: 'fold', path };
      const parent = path.slice(0, Math.max(0, path.lastIndexOf('/')));
      return parent === '' ? undefined : { kind: 'choose', path: parent };
    }
    case 'Enter':
    case ' ':
      if (kind === 'folder') return { kind: isOpen ? 'fold' : 'unfold', path };
      return kind === 'file' ? { kind: 'open', path } : undefined;
    case 'F2':
      return { kind: 'rename', path };
    case 'Delete':
      return { kind: 'delete', path };
    case 'ContextMenu':
      return { kind: 'menu', path };
    default:
      return undefined;
  }
}

const PAGE = 15;

/** The next row whose name starts with the typed letters. */
export function rowByLetters(rows: readonly TreeRow[], chosen: string | undefined, letters: string) {
  const from = Math.max(
    0,
    rows.findIndex(({ path }) => path === chosen),
  );
  const wanted = letters.toLowerCase();
  const order = [...rows.slice(letters.length > 1 ? from : from + 1), ...rows.slice(0, from + 1)];
  return order.find(({ name }) => name.toLowerCase().startsWith(wanted));
}
