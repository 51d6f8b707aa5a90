/**
 * Matches the entries of an interrupted turn with the agent's own record of it (H12): by id if the agent's messages
 * have ids, otherwise by prompt text, beginnings of texts, and order of tools. Pure.
 */
import type { Entry, TextEntry, ThinkingEntry } from '@tugdeck/protocol/conversation/entries';
import { entriesFrom } from '@tugdeck/protocol/conversation/entry-store';
import type { Conversation } from '@tugdeck/protocol/conversation/state';

/** An entry of the record, with our entry if we have it. */
export interface Pair {
  readonly their: Entry;
  readonly our: Entry | undefined;
  /** For text entries: the full text of our entry. */
  readonly text?: string;
}

/** Tolerance for times in the record, which may be rounded. */
const CLOCK_MS = 2_000;

/** The record's entries of our running turn, from its prompt on; undefined if the record does not have the turn. */
export function recordedTurn(state: Conversation, recorded: Conversation): readonly Entry[] | undefined {
  const theirs = [...entriesFrom(recorded.entries)];
  const start = startOf(state, theirs);
  if (start === undefined) return undefined;
  const ours = turnEntries(state);
  const isOurs = (their: Entry): boolean =>
    ours.some((our) => our.kind === 'user' && (our.id === their.id || isSamePrompt(our.text, their)));
  // A prompt of another program starts that program's turn, which is imported separately (A42).
  const end = theirs.findIndex((their, at) => at > start && their.kind === 'user' && !isOurs(their));
  return theirs.slice(start, end < 0 ? undefined : end);
}

export function turnEntries(state: Conversation): Entry[] {
  return [...entriesFrom(state.entries)].filter(({ turn }) => turn !== undefined && turn === state.turn?.id);
}

function startOf(state: Conversation, theirs: readonly Entry[]): number | undefined {
  const ours = turnEntries(state);
  const ids = new Set([...ours.map(({ id }) => id), ...(promptsOf(state) ?? [])]);
  // Entries of a subagent follow a call that may have another id here.
  const known = theirs.findIndex(({ id, parent }) => parent === undefined && ids.has(id));
  if (known >= 0) return known;
  const prompt = ours.find((entry) => entry.kind === 'user');
  if (prompt?.kind !== 'user') return undefined;
  const same = theirs.findLastIndex(
    (their) => isSamePrompt(prompt.text, their) && their.at >= prompt.at - CLOCK_MS,
  );
  return same < 0 ? undefined : same;
}

const promptsOf = ({ turn, turns }: Conversation): readonly string[] | undefined =>
  turns.find(({ id }) => id === turn?.id)?.prompts;

/** Agents append the contents of attachments to the prompt. */
function isSamePrompt(text: string, their: Entry): boolean {
  return their.kind === 'user' && text.trim() !== '' && their.text.trim().startsWith(text.trim());
}

/** `isKnown`: whether we have an entry of this id, in memory or in the journal. */
export function matchTurn(
  ours: readonly Entry[],
  theirs: readonly Entry[],
  isKnown: (id: string) => boolean,
): readonly Pair[] {
  const match = new Match(ours, theirs, isKnown);
  return theirs.map((their) => match.pair(their));
}

class Match {
  readonly #ours: readonly Entry[];
  readonly #theirIds: ReadonlySet<string>;
  readonly #isKnown: (id: string) => boolean;
  /** Our entries before this index are matched. */
  #from = 0;
  readonly #taken = new Set<string>();
  /** Matched length of each of our texts: some agents send two messages as one text. */
  readonly #used = new Map<string, number>();

  constructor(ours: readonly Entry[], theirs: readonly Entry[], isKnown: (id: string) => boolean) {
    this.#ours = ours;
    this.#theirIds = new Set(theirs.map(({ id }) => id));
    this.#isKnown = isKnown;
  }

  pair(their: Entry): Pair {
    const at = this.#ours.findIndex(({ id }) => id === their.id);
    const our = this.#ours[at];
    if (our) {
      if (our.parent === undefined) this.#from = Math.max(this.#from, at + 1);
      return isProse(their) ? { their, our, text: their.text } : { their, our };
    }
    if (this.#isKnown(their.id)) return { their, our: their };
    if (their.kind === 'user')
      return { their, our: this.#take(their, (one) => isSamePrompt(one.text, their)) };
    if (their.kind === 'tool') return { their, our: this.#take(their, () => true) };
    return isProse(their) ? this.#prose(their) : { their, our: undefined };
  }

  /** Our next unmatched entry of this kind. */
  #take<E extends Entry>(their: E, fits: (our: E) => boolean): Entry | undefined {
    for (let at = this.#from; at < this.#ours.length; at++) {
      const our = this.#ours[at];
      if (!our || our.kind !== their.kind || our.parent !== their.parent) continue;
      if (this.#theirIds.has(our.id) || this.#taken.has(our.id) || !fits(our as E)) continue;
      this.#taken.add(our.id);
      this.#from = at + 1;
      return our;
    }
    return undefined;
  }

  #prose(their: TextEntry | ThinkingEntry): Pair {
    for (let at = this.#from; at < this.#ours.length; at++) {
      const our = this.#ours[at];
      // A text after a tool must not match a text before it.
      if (our?.kind === 'tool' && our.parent === undefined && this.#theirIds.has(our.id)) break;
      if (!our || !isProse(our) || our.kind !== their.kind || our.parent !== their.parent) continue;
      if (this.#theirIds.has(our.id)) continue;
      const used = this.#used.get(our.id) ?? 0;
      const rest = our.text.slice(used).trim();
      if (rest === '' && used > 0) continue;
      const theirText = their.text.trim();
      if (rest.startsWith(theirText)) {
        this.#used.set(our.id, our.text.indexOf(theirText, used) + theirText.length);
        this.#from = at;
        return { their, our, text: our.text };
      }
      if (!theirText.startsWith(rest)) continue;
      this.#from = at + 1;
      return { their, our, text: our.text.slice(0, used) + their.text };
    }
    return { their, our: undefined };
  }
}

const isProse = (entry: Entry): entry is TextEntry | ThinkingEntry =>
  entry.kind === 'text' || entry.kind === 'thinking';
