/** The entries that a change concerns. Beside the fold, which applies it. */
import type { ChangeBody } from './changes.ts';

export interface Touched {
  /** Contained in the change as a whole. */
  readonly stated: readonly string[];
  /** Modified; the entry itself is in an earlier change. */
  readonly modified: readonly string[];
}

const NONE: Touched = { stated: [], modified: [] };

export function touches(change: ChangeBody): Touched {
  switch (change.kind) {
    case 'entry.opened':
    case 'entry.restated':
      return { stated: [change.entry.id], modified: [] };
    case 'prompt.accepted':
      return { stated: [change.prompt.id], modified: [] };
    case 'entry.patched':
    case 'entry.closed':
    case 'request.settled':
      return { stated: [], modified: [change.entry] };
    case 'prompt.progressed':
    case 'turn.joined':
      return { stated: [], modified: [change.prompt] };
    case 'turn.started':
      return { stated: [], modified: change.prompts };
    case 'session.described':
    case 'agent.changed':
    case 'prompt.queued':
    case 'prompt.edited':
    case 'prompt.moved':
    case 'prompt.withdrawn':
    case 'turn.changed':
    case 'turn.quiet':
    case 'turn.cancelling':
    case 'turn.ended':
    case 'config.requested':
    case 'config.refused':
    case 'agent.requested':
    case 'usage.updated':
    case 'todos.replaced':
    case 'drift.counted':
    case 'workspace.changed':
    case 'restore.began':
    case 'restore.ended':
    case 'entries.aside':
    case 'entries.returned':
    case 'memory.changed':
      return NONE;
    default:
      // Compiles only if every known kind is handled; at run time a newer host may send others.
      change satisfies never;
      return NONE;
  }
}
