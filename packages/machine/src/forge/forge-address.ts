/** Host and repository of a remote's address, and the page that compares two branches. Pure. */
import { forgeHostSchema, forgeRepositorySchema } from '@tugdeck/protocol/workspaces/pull';

export interface ForgeRepository {
  readonly host: string;
  /** Owner and name. */
  readonly repository: string;
}

/** Undefined for a folder, and for anything that could be read as an option or another address. */
export function forgeRepository(address: string): ForgeRepository | undefined {
  const url = /^(https?|ssh|git):\/\/(?:[^/@\s]*@)?([^/\s]+)\/(.+)$/i.exec(address);
  const short = url ? undefined : /^(?:[\w.-]+@)?([A-Za-z0-9.-]+):(?!\/)(.+)$/.exec(address);
  const [, scheme = 'ssh', place = '', path = ''] = url ?? (short ? ['', 'ssh', short[1], short[2]] : []);
  // The port of ssh isn't that of the web page.
  const host = /^https?$/i.test(scheme) ? place : place.replace(/:\d+$/, '');
  const repository = path.replace(/\/+$/, '').replace(/\.git$/, '');
  const isKnown = forgeHostSchema.safeParse(host).success && /\.|^localhost/.test(host);
  if (!isKnown || !forgeRepositorySchema.safeParse(repository).success) return undefined;
  return { host: host.toLowerCase(), repository };
}

export function isGitLab({ host }: ForgeRepository): boolean {
  return /(?:^|\.)gitlab\./.test(host);
}

export function ownerOf({ repository }: ForgeRepository): string {
  return repository.slice(0, repository.lastIndexOf('/'));
}

/** Where a browser creates the pull request. */
export function comparePage(
  into: ForgeRepository,
  from: ForgeRepository,
  { base, branch }: { readonly base: string; readonly branch: string },
): string {
  const root = `https://${into.host}/${into.repository}`;
  if (isGitLab(into)) {
    const query = new URLSearchParams({
      'merge_request[source_branch]': branch,
      'merge_request[target_branch]': base,
    });
    return `https://${from.host}/${from.repository}/-/merge_requests/new?${query}`;
  }
  const head = into.repository === from.repository ? branch : `${ownerOf(from)}:${branch}`;
  return `${root}/compare/${path(base)}...${path(head)}?expand=1`;
}

function path(name: string): string {
  return name.split('/').map(encodeURIComponent).join('/').replaceAll('%3A', ':');
}
