/**
 * First messages to a new follower: the missed changes, or a snapshot if that is smaller, and the rest of the text of
 * open entries (M2). Served from the journal; no ring buffer.
 */
import { APPEND_FIELDS, type Append, type Change } from '../conversation/changes.ts';
import { fieldText } from '../conversation/fold.ts';
import { type Conversation, openEntries } from '../conversation/state.ts';
import { PAGE, takeSnapshot } from '../conversation/window.ts';
import type { HostMessage, HostRequest } from './host-link.ts';

type Follow = Extract<HostRequest, { type: 'follow' }>;

/** Up to this size, changes are sent without comparing them with a snapshot. */
const SMALL = 32 * 1024;

export function backlog(
  state: Conversation,
  follow: Follow,
  changesSince: (v: number) => readonly Change[] | undefined,
): string[] {
  const v = follow.edition === state.edition ? follow.v : undefined;
  const lines = [catchUp(state, v, changesSince)];
  const appends = openTexts(state, follow);
  if (appends.length > 0) lines.push(JSON.stringify({ type: 'live', appends } satisfies HostMessage));
  return lines;
}

function catchUp(
  state: Conversation,
  v: number | undefined,
  changesSince: (v: number) => readonly Change[] | undefined,
): string {
  if (v === state.v) return JSON.stringify({ type: 'changes', changes: [] } satisfies HostMessage);
  const changes = v === undefined || v > state.v ? undefined : changesSince(v);
  const missed = changes && JSON.stringify({ type: 'changes', changes });
  if (missed !== undefined && missed.length <= SMALL) return missed;
  const snapshot = JSON.stringify({
    type: 'snapshot',
    snapshot: takeSnapshot(state, { tail: PAGE, receipts: false }),
  } satisfies HostMessage);
  return missed !== undefined && missed.length <= snapshot.length ? missed : snapshot;
}

/** Live text has no version, so it is always sent again from the client's reported length. */
function openTexts(state: Conversation, { have = [] }: Follow): Append[] {
  const appends: Append[] = [];
  for (const entry of openEntries(state)) {
    for (const field of APPEND_FIELDS) {
      const text = fieldText(entry, field);
      const known = have.find((one) => one.entry === entry.id && one.field === field)?.length ?? 0;
      const at = Math.min(known, text.length);
      if (at < text.length) appends.push({ entry: entry.id, field, at, text: text.slice(at) });
    }
  }
  return appends;
}
