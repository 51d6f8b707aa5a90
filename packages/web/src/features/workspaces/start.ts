/**
 * Where a new session starts (B1): in the checkout while no other session works there, otherwise in its own
 * workspace. The user's choice for a project is remembered and overrides that.
 */
import type { Deck, SessionRow } from '@tugdeck/protocol/wire/deck';
import { slugOf } from '@tugdeck/protocol/workspaces/names';
import {
  WORKSPACE_STARTS,
  type WorkspacePlan,
  type WorkspaceStart,
} from '@tugdeck/protocol/workspaces/workspace';
import { cell } from '../../kit/cell.ts';
import { plural } from '../../kit/format.ts';
import { persisted } from '../../kit/persisted.ts';
import { sessionState } from '../../kit/session-state.ts';

type Starts = Readonly<Record<string, WorkspaceStart>>;

const MAX_REMEMBERED = 200;

/** The last choice by project. */
const starts = persisted<Starts>('workspace-starts', readStarts, { isShared: true });

function readStarts(raw: unknown): Starts {
  if (typeof raw !== 'object' || raw === null) return {};
  const isKnown = (entry: [string, unknown]): entry is [string, WorkspaceStart] =>
    (WORKSPACE_STARTS as readonly unknown[]).includes(entry[1]);
  return Object.fromEntries(Object.entries(raw).filter(isKnown));
}

export const rememberedStarts = { get: starts.get, subscribe: starts.subscribe };

export function rememberStart(project: string, start: WorkspaceStart): void {
  const others = Object.entries(starts.get()).filter(([id]) => id !== project);
  starts.set(Object.fromEntries([...others.slice(1 - MAX_REMEMBERED), [project, start]]));
}

/** Choices for one new workspace. */
export interface StartDetails {
  readonly base?: string | undefined;
  readonly withChanges: boolean;
}

const DETAILS: StartDetails = { withChanges: false };
const details = new Map<string, ReturnType<typeof cell<StartDetails>>>();
const plans = new Map<string, ReturnType<typeof cell<WorkspacePlan | undefined>>>();

export function detailsOf(session: string) {
  return found(details, session, () => cell(DETAILS));
}

/** The latest plan of a session's new workspace; undefined until it is known. */
export function planOf(session: string) {
  return found(plans, session, () => cell<WorkspacePlan | undefined>(undefined));
}

function found<T>(all: Map<string, T>, key: string, make: () => T): T {
  const known = all.get(key) ?? make();
  all.set(key, known);
  return known;
}

export type StartPlace =
  | { readonly kind: 'checkout' }
  | { readonly kind: 'new' }
  | { readonly kind: 'existing'; readonly workspace: string };

/** Where the session's first message would go. */
export function startPlace(
  deck: Deck,
  row: SessionRow,
  plan: WorkspacePlan | undefined,
  chosen: WorkspaceStart | undefined,
  now: number,
): StartPlace {
  const workspace = deck.workspaces?.find(({ id }) => id === row.workspace);
  if (workspace && workspace.state !== 'failed') return { kind: 'existing', workspace: workspace.id };
  if (!plan || plan.refusal !== undefined) return { kind: 'checkout' };
  const start = chosen ?? plan.start;
  const isNew = start === 'workspace' || (start === 'auto' && isCheckoutBusy(deck, row, now));
  return { kind: isNew ? 'new' : 'checkout' };
}

/** Whether another session works in the project's own directory. */
export function isCheckoutBusy(deck: Deck, { id, project }: SessionRow, now: number): boolean {
  return deck.sessions.some(
    (other) =>
      other.project === project &&
      other.workspace === undefined &&
      other.id !== id &&
      ['needs', 'working', 'queued', 'elsewhere'].includes(sessionState(other, { now })),
  );
}

/** The branch that a message would get; if it is taken, a number is added. */
export function branchFor({ branch = '' }: WorkspacePlan, text: string): string {
  return text.trim() === '' ? branch.replace('{slug}', '…') : branch.replace('{slug}', slugOf(text));
}

/** "12 commits newer than your checkout" */
export function distanceText({ ahead = 0, behind = 0 }: WorkspacePlan): string {
  if (ahead > 0 && behind > 0) {
    return `${plural(ahead, 'commit')} ahead of your checkout, ${behind} behind`;
  }
  if (ahead > 0) return `${plural(ahead, 'commit')} newer than your checkout`;
  return behind > 0 ? `${plural(behind, 'commit')} behind your checkout` : 'same commit as your checkout';
}
