/**
 * The port every driver implements: a foreign agent program behind our changes and commands.
 * A driver owns the agent's process and protocol; it never journals, never decides, never keeps time.
 * The session host calls it; the contract suite holds every driver to what is written here.
 */
import type { McpServers } from '@tugdeck/local/mcp-servers';
import type { Append, ChangeBody } from '@tugdeck/protocol/conversation/changes';
import type { Answer } from '@tugdeck/protocol/conversation/commands';
import type { Attachment, RequestEntry } from '@tugdeck/protocol/conversation/entries';
import type { Usage } from '@tugdeck/protocol/conversation/session-info';
import type { AgentSession } from '@tugdeck/protocol/wire/host-link';

export type { AgentSession };

/** What a driver puts out, in order: durable changes, and live appends between them. */
export type Output = ChangeBody | ({ readonly kind: 'live' } & Append);

export interface Prompt {
  /** A uuid; the agent is given it where its protocol has a place for it. */
  readonly id: string;
  readonly text: string;
  /** With their data: a blob was loaded by the host. */
  readonly attachments?: readonly Attachment[] | undefined;
  /** Into the running turn, at its next step (A25). */
  readonly steer?: boolean | undefined;
}

export type ControlInput = Readonly<Record<string, unknown>>;

/** What became of a control, in words, and as data for a surface that can show more. */
export interface ControlAnswer {
  readonly ok: boolean;
  readonly text: string;
  readonly data?: unknown;
}

export interface AgentExit {
  readonly code: number | null;
  readonly signal: string | null;
  /** The last lines of stderr, for people. */
  readonly stderr: string;
  /** Set when the program could not be started at all. */
  readonly failure?: string | undefined;
  /** The agent does not know the session it was asked to resume (H9): start afresh, and say so. */
  readonly unresumable?: boolean | undefined;
  /** Why it is of no use to try again, for people (A13). */
  readonly fatal?: string | undefined;
}

export interface SessionStart {
  /** `continue`: the newest of the directory, whatever its id. */
  readonly kind: 'new' | 'resume' | 'continue' | 'fork';
  readonly id: string;
  /** Only up to this entry, or message of the agent's own. */
  readonly at?: string | undefined;
  /** Nobody but the agent has what was said in it: it is asked to tell, where it can (A42). */
  readonly replayHistory?: boolean | undefined;
}

export interface AgentStart {
  /** The agent's program and leading arguments, already resolved. */
  readonly command: string;
  readonly args: readonly string[];
  readonly directory: string;
  /** The whole environment of the agent; nothing is inherited beside it. */
  readonly environment: Readonly<Record<string, string>>;
  /** A fresh session by an id we choose, or one of the agent's own to go on with, or in a copy. */
  readonly session: SessionStart;
  /** Nothing of what the project brings may take effect: no settings, hooks, servers or rules of it (X6). */
  readonly untrusted?: boolean | undefined;
  /** The top of the project's checkout, which the yes is for; absent where nobody said yes. */
  readonly trustedRoot?: string | undefined;
  readonly mode?: string | undefined;
  readonly model?: string | undefined;
  /** Absolute ones, beside the project; where the agent cannot be told of them they are left out. */
  readonly directories?: readonly string[] | undefined;
  readonly mcpServers?: McpServers | undefined;
  /** Folders of plugins, for agents that have such. */
  readonly plugins?: readonly string[] | undefined;
  /** What the session used before this start; the driver counts on from it (A10). */
  readonly usage?: Usage | undefined;
  /** Longest line taken from the agent, in bytes; a longer one is set aside as drift. */
  readonly maxLine: number;
}

export interface DriverSink {
  /** Journals the durable ones before it returns, so that a driver may write to the agent after it. */
  emit(outputs: readonly Output[]): void;
  /** The raw lines, for the bounded recording (A2). */
  record(direction: 'in' | 'out' | 'err' | 'note', line: string): void;
  /** The program runs: told before anything it says is read, so that the ledger knows it first. */
  spawned(pid: number): void;
  /** The handshake is through: prompts may be given. */
  ready(): void;
  /** Once, at the very end; nothing is emitted after it. */
  exited(exit: AgentExit): void;
}

export interface Agent {
  /** Emits `prompt.progressed sending` and a turn where none runs, then writes. Only after `ready`. */
  prompt(prompt: Prompt): void;
  /** The protocol's own way to stop a turn; the turn's end comes through the sink. */
  cancel(): void;
  /** The host has already settled the request; this tells the agent. */
  answer(request: RequestEntry, answer: Answer): void;
  /** `mode`, `model`, or one of the options that it told of. */
  configure(option: string, value: string): void;
  /** Something else that it told of in its facts as a control; resolves also when it fails or the agent exits. */
  control?(what: string, input: ControlInput): Promise<ControlAnswer>;
  /** What it keeps of the project's sessions; resolves with none where it cannot say, and when it exits. */
  sessions?(): Promise<readonly AgentSession[]>;
  /** The protocol's farewell and the end of stdin; signals are the host's affair (L8). */
  end(): void;
}

/** A change of the past, with its time. */
export interface DatedChange {
  readonly at: number;
  readonly body: ChangeBody;
}

export interface Driver {
  /** The protocol it speaks, as the catalogue names it. */
  readonly protocol: string;
  start(start: AgentStart, sink: DriverSink): Agent;
  /** What the agent's own files tell of a session that is to be gone on with (A42); starts nothing. */
  history?(start: Pick<AgentStart, 'environment' | 'directory' | 'session'>): readonly DatedChange[];
  /** Turns that another program made in a session of ours since, by what of it is known; starts nothing. */
  externalTurns?(
    start: Pick<AgentStart, 'environment' | 'directory' | 'session'>,
    isKnown: (entry: string) => boolean,
  ): readonly DatedChange[];
  /**
   * Which of these entries, in order, the agent will not know when it goes on with the session (A42), by its own
   * file; undefined where that does not tell. Starts nothing.
   */
  missingFrom?(
    start: Pick<AgentStart, 'environment' | 'directory' | 'session'>,
    entries: readonly string[],
  ): ReadonlySet<string> | undefined;
}
