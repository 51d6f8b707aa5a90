/**
 * The invariants after a session host was killed (H12), as pure rules over evidence, so that tests can make each fail: the
 * page shows what the model knows, and no command ran that isn't drawn.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Entry, ToolEntry } from '@tugdeck/protocol/conversation/entries';
import { isShown } from '@tugdeck/protocol/conversation/state';
import type { ContextItem } from './model-context.ts';

export interface KillEvidence {
  /** The journal from its first entry on. */
  readonly entries: readonly Entry[];
  /** The entries of a page that stayed open. */
  readonly page: readonly Entry[];
  /** The rows of a real browser that showed the session throughout, if there was one. */
  readonly drawn?: readonly DrawnRow[] | undefined;
  /** The conversation as `tugdeck sessions export` writes it. */
  readonly exported: string;
  /** The last request to the model. */
  readonly context: readonly ContextItem[];
  /** Names of the commands that ran. */
  readonly ran: readonly string[];
  /** Descriptions of processes that the killed host or its agent left. */
  readonly left: readonly string[];
}

export interface DrawnRow {
  readonly id: string;
  readonly text: string;
}

type Rule = (evidence: KillEvidence) => Iterable<string>;

const UNFINISHED = new Set<ToolEntry['state']>(['preparing', 'waiting', 'running']);
/** Kinds of which every entry has a row. A permission is in the row of its tool. */
const DRAWN = new Set<Entry['kind']>(['user', 'text', 'tool', 'notice']);
/** Text that only this command could have printed. */
const PRINTED = /noted [\w-]+/g;

export const KILL_RULES = {
  /** Everything the model received is an entry, in the same order, and in the export. */
  *contextShown({ context, entries, exported }) {
    let after = -1;
    for (const one of context) {
      const at = entries.findIndex((entry, index) => index > after && shows(entry, one));
      if (one.kind === 'result') yield* resultShown(one, context, entries);
      else if (at >= 0) after = at;
      else if (entries.some((entry) => shows(entry, one)))
        yield `the model received ${words(one)} in another order`;
      else yield `the model received ${words(one)}, and it is not shown`;
      const isWritten = one.kind === 'text' || one.kind === 'prompt';
      if (isWritten && !exported.includes(one.text)) yield `the export lacks ${words(one)}`;
    }
  },

  /** Everything shown as complete was sent to the model, unless it is marked as not known to the agent. */
  *shownInContext({ context, entries }) {
    // A notice that the agent doesn't know what is above it says enough.
    const from = entries.findLastIndex((entry) => entry.kind === 'notice' && entry.notice === 'fresh') + 1;
    for (const entry of entries.slice(from)) {
      if (entry.parent !== undefined || ('forgotten' in entry && entry.forgotten)) continue;
      const isMessage = entry.kind === 'text' && entry.text.trim() !== '';
      const isDone = entry.kind === 'tool' && (entry.state === 'done' || entry.state === 'failed');
      if ((isMessage || isDone) && !context.some((one) => shows(entry, one)))
        yield `${entry.kind} ${entry.id} (${entry.status}) is shown as known, and the model did not receive it: ${JSON.stringify(entry).slice(0, 300)}`;
    }
  },

  /** No command ran that is not drawn. */
  *ranShown({ ran, entries }) {
    for (const name of ran)
      if (!entries.some((entry) => entry.kind === 'tool' && JSON.stringify(entry.input ?? '').includes(name)))
        yield `the command ${name} ran, and it is not shown`;
  },

  /** Nothing is shown twice. */
  *shownOnce({ entries }) {
    const seen = new Set<string>();
    for (const entry of entries) {
      const key =
        entry.kind === 'text'
          ? `text ${entry.text}`
          : entry.kind === 'tool'
            ? JSON.stringify(entry.input)
            : entry.id;
      if (entry.kind === 'text' && entry.text.trim() === '') continue;
      if (key !== undefined && seen.has(key)) yield `shown twice: ${key}`;
      if (key !== undefined) seen.add(key);
    }
  },

  *nothingOpen({ entries }) {
    for (const entry of entries)
      if (entry.status === 'partial') yield `${entry.kind} ${entry.id} is still open`;
  },

  *pageAgrees({ entries, page }) {
    if (page.length !== entries.length)
      yield `the page shows ${page.length} entries instead of ${entries.length}`;
    for (const [at, entry] of page.entries())
      if (!isSame(entry, entries[at])) {
        yield `the page shows ${JSON.stringify(entry)} instead of ${JSON.stringify(entries[at])}`;
        return;
      }
  },

  /** The browser draws every entry, in order, with its text. */
  *drawnAgrees({ entries, drawn }) {
    if (!drawn) return;
    let after = -1;
    for (const entry of entries) {
      if (entry.parent !== undefined || !DRAWN.has(entry.kind) || !isShown(entry)) continue;
      const at = drawn.findIndex(({ id }) => id === entry.id);
      if (at < 0) yield `${entry.kind} ${entry.id} is not drawn`;
      else if (at < after) yield `${entry.kind} ${entry.id} is drawn in another order`;
      else if ('text' in entry && !plain(drawn[at]?.text ?? '').includes(plain(entry.text)))
        yield `${entry.kind} ${entry.id} is drawn as ${JSON.stringify(drawn[at]?.text)}`;
      after = Math.max(after, at);
    }
  },

  *nothingLeft({ left }) {
    for (const process of left) yield `left over: ${process}`;
  },
} satisfies Record<string, Rule>;

export function judgeKill(evidence: KillEvidence): string[] {
  return Object.values<Rule>(KILL_RULES).flatMap((rule) => [...rule(evidence)]);
}

function shows(entry: Entry, one: ContextItem): boolean {
  switch (one.kind) {
    case 'prompt':
      return entry.kind === 'user' && entry.text.trim() === one.text;
    case 'text':
      return entry.kind === 'text' && entry.text.trim() === one.text;
    case 'call':
      return entry.kind === 'tool' && (hasCallId(entry, one.id) || hasCommand(entry, one.text));
    case 'result':
      return false;
  }
}

/** An agent whose call ids are not unique across sessions has its thread's id before them. */
function hasCallId({ id }: ToolEntry, call: string): boolean {
  return id === call || (call !== '' && id.endsWith(`/${call}`));
}

/** Some agents use one call id with the model and another with us; then the command identifies the call. */
function hasCommand({ input }: ToolEntry, call: string): boolean {
  const { cmd } = JSON.parse(call) as { cmd?: unknown };
  return typeof cmd === 'string' && JSON.stringify(input ?? '').includes(JSON.stringify(cmd));
}

function* resultShown(
  one: Extract<ContextItem, { id: string }>,
  context: readonly ContextItem[],
  entries: readonly Entry[],
): Iterable<string> {
  const call = context.find(({ kind, ...rest }) => kind === 'call' && 'id' in rest && rest.id === one.id);
  const entry = call && entries.find((shown) => shows(shown, call));
  if (entry?.kind !== 'tool' || UNFINISHED.has(entry.state)) {
    yield `the model received the ${words(one)}, and it is not shown`;
    return;
  }
  const shown = JSON.stringify([entry.result, entry.output, entry.error]);
  for (const [printed] of one.text.matchAll(PRINTED))
    if (!shown.includes(printed))
      yield `the model received "${printed}" from ${one.id}, and the entry lacks it`;
}

const plain = (text: string): string => text.replace(/\s+/g, ' ').trim();

const words = (one: ContextItem): string => `${one.kind} ${JSON.stringify(one.text.slice(0, 200))}`;

/** As JSON: an undefined field is absent. */
function isSame(one: unknown, other: unknown): boolean {
  const travelled = (value: unknown): unknown => JSON.parse(JSON.stringify(value ?? null));
  return isDeepStrictEqual(travelled(one), travelled(other));
}
