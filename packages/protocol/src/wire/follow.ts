/** Following a host, for every client: what to request to get from a state to the host's (M2). */
import { APPEND_FIELDS } from '../conversation/changes.ts';
import { fieldText } from '../conversation/fold.ts';
import { type Conversation, entryById, openEntries } from '../conversation/state.ts';
import type { HostRequestInput } from './host-link.ts';

/** The wire's limit on `have`. */
const MAX_HAVE = 1_000;

/** Requests everything after `state`. The newest open entries are the ones that still grow. */
export function followRequest(state: Conversation): HostRequestInput {
  const have = openEntries(state)
    .flatMap((entry) =>
      APPEND_FIELDS.map((field) => ({ entry: entry.id, field, length: fieldText(entry, field).length })),
    )
    .filter(({ length }) => length > 0)
    .slice(-MAX_HAVE);
  const edition = state.edition === undefined ? {} : { edition: state.edition };
  return { type: 'follow', v: state.v, ...edition, have };
}

/**
 * Requests the text that live appends skipped, once for each hole.
 * @param requested the holes that were requested before; returned with the new ones
 */
export function holeRequests(
  state: Conversation,
  requested: ReadonlySet<string>,
): { readonly requests: readonly HostRequestInput[]; readonly requested: ReadonlySet<string> } {
  if (state.holes.length === 0 && requested.size === 0) return { requests: [], requested };
  const requests: HostRequestInput[] = [];
  const now = new Set<string>();
  for (const { entry: id, field } of state.holes) {
    const key = `${field} ${id}`;
    const entry = entryById(state, id);
    if (!entry) continue;
    now.add(key);
    if (!requested.has(key))
      requests.push({ type: 'text', entry: id, field, from: fieldText(entry, field).length });
  }
  return { requests, requested: now };
}
