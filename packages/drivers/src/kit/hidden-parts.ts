/**
 * Finds parts of an agent's request that its entry can't show (C6): every name and value that was sent must be in the
 * entry, because the page shows the whole entry. Pure; part of the driver contract.
 */
import type { NewEntry } from '@tugdeck/protocol/conversation/entries';
import { exactJson, exactMember, withoutMembers } from './exact-json.ts';
import { recordOf } from './fields.ts';

/** The entry has the input under its own name. */
const INPUT: ReadonlySet<string> = new Set(['"input"', '"rawInput"']);
/** Ids of the place in the conversation, at the top of a request: they say nothing about what will run. */
const PLACE: ReadonlySet<string> = new Set([
  'sessionId',
  'threadId',
  'turnId',
  'itemId',
  'startedAtMs',
  'approvalId',
  'callId',
]);

/** `line` is the message, parsed by `parseExact`, that made the driver open the entry. */
export function hiddenParts(line: unknown, entry: NewEntry): string[] {
  const { params, request } = recordOf(line);
  const sent = withoutMembers(recordOf(params ?? request), (key) => PLACE.has(key));
  const shown = `${exactJson(entry)}${sourceOf(entry)}`;
  return [...new Set(literals(sent))].filter((part) => !INPUT.has(part) && !shown.includes(part));
}

/** The input as JSON text, where the entry has it for its numbers. */
function sourceOf(entry: NewEntry): string {
  return entry.kind === 'permission' && typeof entry.request.source === 'string' ? entry.request.source : '';
}

/** Every name and value in it, as JSON. */
function literals(holder: object): string[] {
  return Object.entries(holder).flatMap(([key, part]) => {
    const name = Array.isArray(holder) ? [] : [JSON.stringify(key)];
    const isHolder = typeof part === 'object' && part !== null;
    return [...name, ...(isHolder ? literals(part) : [exactMember(holder, key)])];
  });
}
