/**
 * Folds a recorded transcript without a process (M14), with the pure parts of a driver. Same fold and translation as
 * live. Used by the CLI.
 *
 * The output is fixed, because other programs compare it: its names, and the titles and texts of all entries. Notices
 * and titles that a driver writes into entries therefore keep their first wording, even where it is not plain English.
 */

import type { Change, ChangeBody } from '@tugdeck/protocol/conversation/changes';
import type { Answer } from '@tugdeck/protocol/conversation/commands';
import { type Entry, isRequest } from '@tugdeck/protocol/conversation/entries';
import { entriesFrom } from '@tugdeck/protocol/conversation/entry-store';
import { fold, foldAppend } from '@tugdeck/protocol/conversation/fold';
import type { Todo, TurnEnd, TurnState, Usage } from '@tugdeck/protocol/conversation/session-info';
import { type Conversation, EMPTY, entryById, turnState } from '@tugdeck/protocol/conversation/state';
import { parseJson } from '@tugdeck/protocol/parse-json';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import { z } from 'zod';
import { afterExit } from './after-exit.ts';
import type { AgentExit, Output } from './port.ts';
import { untrustedText } from './untrusted-text.ts';

/** The meaning of a sent line, besides the driver's own outputs. */
export type Replayed =
  | { readonly kind: 'prompt'; readonly id: string; readonly text: string }
  | { readonly kind: 'answer'; readonly entry: string; readonly answer: Answer }
  | { readonly kind: 'farewell' };

/** The pure parts of a driver, for one run of its program. */
export interface ReplayRun {
  /** A sent line: first `was` is folded, then `sent` returns the driver's outputs. */
  read(line: unknown): { readonly was?: Replayed | undefined; readonly sent: () => Output[] };
  /** A received line. */
  take(line: unknown): Output[];
}

export interface ReplayDriver {
  /** Whether a line can be of this protocol. */
  speaks(line: unknown): boolean;
  /** The agent's session of a line, if it names one. */
  sessionOf(line: unknown): string | undefined;
  /** The run receives every line and filters by `session` itself, because responses are matched by id. */
  readonly separates?: boolean | undefined;
  run(mark: string, usage: Usage, session?: string | undefined): ReplayRun;
}

export interface ReplayOutput {
  readonly entries: readonly Readonly<Record<string, unknown>>[];
  readonly requests: readonly Readonly<Record<string, unknown>>[];
  readonly turns: readonly { readonly origin: string; readonly endedBy?: TurnEnd | undefined }[];
  readonly turn: TurnState;
  readonly usage: Usage;
  readonly todos: readonly Todo[];
  readonly session: string | null;
  readonly sessions: readonly string[];
  readonly unrecognized: { readonly count: number; readonly kinds: Readonly<Record<string, number>> };
}

const recordedSchema = z.object({
  /** Other recorders use other timestamps, or none. */
  t: z.number().catch(0),
  dir: z.enum(['in', 'out', 'err', 'note']),
  line: z.unknown(),
});
type Recorded = z.infer<typeof recordedSchema>;

export function replay(
  driver: ReplayDriver,
  lines: Iterable<string>,
  { session }: { readonly session?: string | undefined } = {},
): ReplayOutput {
  const recorded = [...lines].flatMap(parse);
  const received = recorded.filter(({ dir, line }) => dir === 'out' && typeof line === 'object');
  if (recorded.length === 0 || (received.length > 0 && !received.some(({ line }) => driver.speaks(line)))) {
    throw new CodedError(
      'AGENT_PROTOCOL_ERROR',
      'This is not a recording of the protocol that this agent speaks.',
    );
  }
  const sessions = new Set(
    recorded.flatMap(({ dir, line }) => (dir === 'out' ? (driver.sessionOf(line) ?? []) : [])),
  );
  const whole = session === undefined || driver.separates === true;
  const chosen = whole ? recorded : ofSession(driver, recorded, session);
  if (session !== undefined && !sessions.has(session)) {
    throw new CodedError('SESSION_NOT_FOUND', `The recording has no session ${session}.`);
  }
  const replayer = new Replayer(driver, session);
  for (const line of chosen) replayer.take(line);
  replayer.finish();
  return replayer.output([...sessions]);
}

function parse(text: string): Recorded[] {
  if (text.trim() === '') return [];
  try {
    const parsed = recordedSchema.safeParse(parseJson(text));
    return parsed.success ? [{ ...parsed.data, line: parsedLine(parsed.data) }] : [];
  } catch (error) {
    // The last line of a recording may be incomplete.
    if (error instanceof SyntaxError) return [];
    throw error;
  }
}

/** A line may be recorded as text. */
function parsedLine({ dir, line }: Recorded): unknown {
  if ((dir !== 'in' && dir !== 'out') || typeof line !== 'string' || !line.trimStart().startsWith('{'))
    return line;
  try {
    return parseJson(line);
  } catch (error) {
    if (error instanceof SyntaxError) return line;
    throw error;
  }
}

/** The runs that mention the session, without lines of other sessions. */
function ofSession(driver: ReplayDriver, recorded: readonly Recorded[], session: string): Recorded[] {
  const runs: Recorded[][] = [];
  for (const line of recorded) {
    if (runs.length === 0 || isNote(line, 'spawn')) runs.push([]);
    runs.at(-1)?.push(line);
  }
  return runs
    .filter((run) => run.some(({ dir, line }) => dir === 'out' && driver.sessionOf(line) === session))
    .flat()
    .filter(({ dir, line }) => dir !== 'out' || (driver.sessionOf(line) ?? session) === session);
}

function isNote({ dir, line }: Recorded, start: string): boolean {
  return dir === 'note' && typeof line === 'string' && line.startsWith(start);
}

class Replayer {
  readonly #driver: ReplayDriver;
  readonly #session: string | undefined;
  #state: Conversation = EMPTY;
  #run: ReplayRun | undefined;
  #runs = 0;
  #now = 0;
  #stderr = '';
  #farewell = false;
  #killed: string | undefined;
  readonly #turns: { id: string; origin: string; endedBy?: TurnEnd }[] = [];

  constructor(driver: ReplayDriver, session: string | undefined) {
    this.#driver = driver;
    this.#session = session;
  }

  take(recorded: Recorded): void {
    this.#now = recorded.t;
    const { dir, line } = recorded;
    if (dir === 'err') {
      this.#stderr = `${this.#stderr}${untrustedText(line)}\n`.slice(-8192);
    } else if (dir === 'note') {
      this.#note(recorded);
    } else if (dir === 'in') {
      this.#sent(line);
    } else {
      this.#outputs(this.#running().take(line));
    }
  }

  /** The recording may stop before the exit was recorded. */
  finish(): void {
    if (this.#killed !== undefined) this.#exit({ code: null, signal: this.#killed });
  }

  output(sessions: readonly string[]): ReplayOutput {
    const state = this.#state;
    const entries = [...entriesFrom(state.entries)];
    return {
      entries: entries.map(shown),
      requests: entries.filter(isRequest).map(({ id, kind, request }) => ({
        id,
        kind,
        status: request.status,
        ...(request.answer === undefined ? {} : { answer: request.answer }),
      })),
      turns: this.#turns.map(({ origin, endedBy }) => ({ origin, ...(endedBy ? { endedBy } : {}) })),
      turn: turnState(state),
      usage: state.usage,
      // Frozen output: descriptions were added later.
      todos: state.todos.map(({ description: _, ...todo }) => todo),
      session: state.facts.agentSession ?? sessions.at(-1) ?? null,
      sessions,
      unrecognized: { count: state.unrecognized.count, kinds: state.unrecognized.kinds },
    };
  }

  #note(recorded: Recorded): void {
    const text = untrustedText(recorded.line);
    if (isNote(recorded, 'spawn')) {
      if (this.#run) this.#exit({ code: null, signal: this.#killed ?? null });
      this.#running();
    } else if (isNote(recorded, 'stdin closed')) {
      this.#farewell = true;
    } else if (isNote(recorded, 'kill')) {
      this.#killed = /SIG[A-Z]+/.exec(text)?.[0] ?? 'SIGKILL';
    } else if (isNote(recorded, 'exit')) {
      const code = /code["=:]+\s*(\d+)/.exec(text)?.[1];
      const signal = /sig(?:nal)?["=:]+\s*"?(SIG[A-Z]+)/.exec(text)?.[1];
      this.#exit({ code: code === undefined ? null : Number(code), signal: signal ?? null });
    }
  }

  #sent(line: unknown): void {
    const { was, sent } = this.#running().read(line);
    if (was?.kind === 'prompt' && !entryById(this.#state, was.id)) {
      this.#change({ kind: 'prompt.accepted', prompt: { id: was.id, text: was.text } });
      this.#change({ kind: 'prompt.progressed', prompt: was.id, delivery: 'sending' });
    } else if (was?.kind === 'answer') {
      const { entry, answer } = was;
      this.#change({ kind: 'request.settled', entry, status: 'answered', answer });
    } else if (was?.kind === 'farewell') {
      this.#farewell = true;
    }
    this.#outputs(sent());
  }

  #exit(how: Pick<AgentExit, 'code' | 'signal'>): void {
    if (!this.#run) return;
    const idle = this.#state.turn === null && Object.keys(this.#state.open).length === 0;
    const expected = how.signal === null && (this.#farewell || (how.code === 0 && idle));
    for (const change of afterExit(this.#state, { ...how, stderr: this.#stderr }, { expected })) {
      this.#change(change);
    }
    // With several sessions in a recording, only one turn belongs to the conversation.
    const endedBy = expected ? 'cancelled' : 'error';
    for (const turn of this.#turns) turn.endedBy ??= endedBy;
    this.#run = undefined;
    this.#stderr = '';
    this.#farewell = false;
    this.#killed = undefined;
  }

  #running(): ReplayRun {
    this.#run ??= this.#driver.run(`r${this.#runs++}`, this.#state.usage, this.#session);
    return this.#run;
  }

  #outputs(outputs: readonly Output[]): void {
    for (const output of outputs) {
      if (output.kind === 'live') this.#state = foldAppend(this.#state, output);
      else this.#change(output);
    }
  }

  #change(body: ChangeBody): void {
    this.#state = fold(this.#state, { ...body, v: this.#state.v + 1, at: this.#now } as Change);
    // The state keeps only recent turns; the output has all.
    if (body.kind === 'turn.started') this.#turns.push({ id: body.turn, origin: body.origin });
    if (body.kind === 'turn.ended') {
      const turn = this.#turns.find(({ id }) => id === body.turn);
      if (turn) turn.endedBy = body.endedBy;
    }
  }
}

const SHOWN = [
  'seq',
  'id',
  'kind',
  'status',
  'parent',
  'turn',
  'title',
  'text',
  'toolKind',
  'state',
  'input',
  'result',
  'diff',
  'about',
] as const;

function shown(entry: Entry): Readonly<Record<string, unknown>> {
  const fields = entry as Readonly<Record<string, unknown>>;
  const title = entry.kind === 'permission' || entry.kind === 'form' ? { title: entry.request.title } : {};
  return Object.fromEntries(
    SHOWN.flatMap((key) => {
      const value = key in title ? title.title : fields[key];
      return value === undefined ? [] : [[key, value]];
    }),
  );
}
