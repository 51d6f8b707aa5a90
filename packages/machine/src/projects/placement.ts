/** Reads free memory and the remote of each project, for choosing the machine of a new session (N17). */
import { freemem } from 'node:os';
import { join, relative, sep } from 'node:path';
import { findRepository } from '@tugdeck/trees/find-repository';
import { Repository } from '../git/repository.ts';
import type { Placement } from '../port.ts';
import type { Projects } from './projects.ts';

export async function readPlacement(projects: Pick<Projects, 'list'>): Promise<Placement> {
  const read: { id: string; remote?: string }[] = [];
  for (const { id, path } of projects.list()) {
    const remote = await remoteOf(path).catch(() => undefined);
    read.push({ id, ...(remote === undefined ? {} : { remote }) });
  }
  return { freeMemory: freeMemory(), projects: read };
}

/** Also within the limit of a container. Node has this since 20.13. */
function freeMemory(): number {
  const { availableMemory } = process as { availableMemory?: () => number };
  return availableMemory?.() ?? freemem();
}

/** Names the folder of a repository on all machines; undefined outside of git and without a remote. */
async function remoteOf(directory: string): Promise<string | undefined> {
  const found = await findRepository(directory);
  if (found.kind !== 'repository') return undefined;
  const { root, project, commonDirectory } = found.place;
  // From the file, because reads of a repository see no addresses (X1). Reading it starts nothing.
  const { stdout } = await new Repository(found.place, () => false).read(
    ['config', '--file', join(commonDirectory, 'config'), '--get', 'remote.origin.url'],
    { answers: [1] },
  );
  const remote = sameRemote(stdout.toString('utf8').trim());
  const folder = relative(root, project).split(sep).join('/');
  return remote && (folder === '' ? remote : `${remote}#${folder}`);
}

/**
 * The same for all ways to write the address of a repository, without user names and passwords. Undefined for a path
 * or another address that means nothing on another machine.
 */
export function sameRemote(url: string): string | undefined {
  const scp = /^(?:[^@/\s]+@)?([\w.-]+):(?!\/\/)(.+)$/.exec(url);
  const [host = '', path = ''] = scp ? [scp[1], scp[2]] : hostAndPath(url);
  const plain = path.replace(/^\/+|\/+$/g, '').replace(/\.git$/i, '');
  return host === '' || plain === '' ? undefined : `${host.toLowerCase()}/${plain}`.slice(0, MAX_REMOTE);
}

const MAX_REMOTE = 1_000;

function hostAndPath(url: string): [string, string] {
  if (!URL.canParse(url)) return ['', ''];
  const { protocol, hostname, pathname } = new URL(url);
  return ['https:', 'http:', 'ssh:', 'git:'].includes(protocol) ? [hostname, pathname] : ['', ''];
}
