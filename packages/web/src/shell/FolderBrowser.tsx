/** Browses the folders of the server's machine, or of another one, to choose a project (S4). */
import { CornerLeftUp, Folder, FolderGit2 } from 'lucide-react';
import { useEffect, useState } from 'react';
import { z } from 'zod';
import { apiFetch } from '../kit/api.ts';
import { visiblePath } from '../kit/visible-text.ts';
import { Icon } from '../ui/Icon.tsx';

const listingSchema = z.object({
  path: z.string(),
  parent: z.string().optional(),
  folders: z.array(z.object({ name: z.string(), isRepository: z.boolean() })),
});
type Listing = z.infer<typeof listingSchema>;

export interface FolderBrowserProps {
  /** Another machine. */
  machine?: string | undefined;
  /** The folder to list; empty for the home directory. */
  path: string;
  onPath: (path: string) => void;
}

export function FolderBrowser({ machine, path, onPath }: FolderBrowserProps) {
  const [listing, setListing] = useState<Listing>();
  useEffect(() => {
    const lookup = new AbortController();
    read(path, machine, lookup.signal)
      .then((found) => found && setListing(found))
      .catch((error: unknown) => {
        if (!lookup.signal.aborted) console.warn('browse', error);
      });
    return () => lookup.abort();
  }, [path, machine]);
  if (!listing) return null;
  const inside = (name: string) => `${listing.path === '/' ? '' : listing.path}/${name}`;
  return (
    <ul className="folders" aria-label={`Folders in ${visiblePath(listing.path)}`}>
      {listing.parent === undefined ? null : (
        <li>
          <button type="button" className="folder" onClick={() => onPath(listing.parent ?? '/')}>
            <Icon icon={CornerLeftUp} size={14} />
            <span>Parent folder</span>
            <span
              className="folder-place truncate"
              aria-hidden="true"
            >{`in ${visiblePath(listing.path)}`}</span>
          </button>
        </li>
      )}
      {listing.folders.map(({ name, isRepository }) => (
        <li key={name}>
          <button
            type="button"
            className="folder"
            data-hidden={name.startsWith('.')}
            onClick={() => onPath(inside(name))}
          >
            <Icon icon={isRepository ? FolderGit2 : Folder} size={14} />
            <span className="truncate">{visiblePath(name)}</span>
          </button>
        </li>
      ))}
      {listing.folders.length === 0 ? <li className="folder-none">No subfolders</li> : null}
    </ul>
  );
}

/** Undefined while the typed path is not a folder. */
async function read(
  path: string,
  machine: string | undefined,
  signal: AbortSignal,
): Promise<Listing | undefined> {
  const query = new URLSearchParams();
  if (path.trim() !== '') query.set('path', path.trim());
  if (machine !== undefined) query.set('machine', machine);
  const response = await apiFetch(`/api/browse${query.size > 0 ? `?${query}` : ''}`, { signal });
  return response.ok ? listingSchema.parse(await response.json()) : undefined;
}
