/**
 * Decides whether the process that listens on a port belongs to a project (W7): it runs in the project's directory, or
 * a session there started it. Only such a port is shown without a question.
 */
import { realpathSync } from 'node:fs';
import { sep } from 'node:path';
import type { Ledger } from '@tugdeck/local/ledger';
import type { Listener } from '@tugdeck/local/listening-ports';
import type { PortHolder } from '@tugdeck/protocol/areas/preview';

export interface HolderContext {
  /** The directory of the project or workspace. */
  readonly directory: string;
  readonly ledger: Pick<Ledger, 'read'>;
  /** Whether a session works in this project or workspace. */
  readonly isOfPlace: (session: string) => boolean;
}

export function holderOf(listener: Listener, context: HolderContext): PortHolder {
  const { key, process: owner } = listener;
  if (!owner) return { key, isOwn: false };
  const { pid, name, directory, mark } = owner;
  return {
    key: `${pid}.${key}`,
    pid,
    name,
    ...(directory === undefined ? {} : { directory }),
    isOwn: isInside(directory, context.directory) || isMarked(mark, context),
  };
}

function isInside(directory: string | undefined, of: string): boolean {
  if (directory === undefined) return false;
  let root = of;
  try {
    root = realpathSync(of);
  } catch {
    return false; // The project's directory is gone.
  }
  return directory === root || directory.startsWith(root.endsWith(sep) ? root : root + sep);
}

/** The marks of agents are random and in the ledger, which only the user can read. */
function isMarked(mark: string | undefined, { ledger, isOfPlace }: HolderContext): boolean {
  if (mark === undefined) return false;
  return ledger
    .read()
    .some((record) => record.mark === mark && record.session !== undefined && isOfPlace(record.session));
}
