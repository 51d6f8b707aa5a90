/**
 * The interface that every driver implements: an agent program behind our changes and commands. A driver owns the
 * agent's process and protocol; it does not journal, decide or keep time. Called by the session host; the contract
 * suite tests these rules.
 */
import type { McpServers } from '@tugdeck/local/mcp-servers';
import type { Append, ChangeBody } from '@tugdeck/protocol/conversation/changes';
import type { Answer } from '@tugdeck/protocol/conversation/commands';
import type { Attachment, RequestEntry } from '@tugdeck/protocol/conversation/entries';
import type { Usage } from '@tugdeck/protocol/conversation/session-info';
import type { AgentSession } from '@tugdeck/protocol/wire/host-link';

export type { AgentSession };

/** A driver's outputs, in order: durable changes, and live appends between them. */
export type Output = ChangeBody | ({ readonly kind: 'live' } & Append);

export interface Prompt {
  /** A uuid, passed to the agent if its protocol allows. */
  readonly id: string;
  readonly text: string;
  /** With their data loaded from blobs. */
  readonly attachments?: readonly Attachment[] | undefined;
  /** Joins the running turn at its next step (A25). */
  readonly steer?: boolean | undefined;
}

export type ControlInput = Readonly<Record<string, unknown>>;

/** The result of a control: text, and data for views that show more. */
export interface ControlAnswer {
  readonly ok: boolean;
  readonly text: string;
  readonly data?: unknown;
}

export interface AgentExit {
  readonly code: number | null;
  readonly signal: string | null;
  /** The end of stderr, for the user. */
  readonly stderr: string;
  /** Set if the program could not be started. */
  readonly failure?: string | undefined;
  /** The agent does not know the session to resume (H9): start a new one and add a notice. */
  readonly unresumable?: boolean | undefined;
  /** Why a retry cannot help, for the user (A13). */
  readonly fatal?: string | undefined;
}

export interface SessionStart {
  /** `continue`: the newest of the directory, whatever its id. */
  readonly kind: 'new' | 'resume' | 'continue' | 'fork';
  readonly id: string;
  /** Only up to this entry or agent message. */
  readonly at?: string | undefined;
  /** Only the agent has the history: it should replay it if it can (A42). */
  readonly replayHistory?: boolean | undefined;
}

export interface AgentStart {
  /** The agent's program and leading arguments, already resolved. */
  readonly command: string;
  readonly args: readonly string[];
  readonly directory: string;
  /** The complete environment of the agent; nothing else is inherited. */
  readonly environment: Readonly<Record<string, string>>;
  /** A new session with an id that we choose, or an existing one to resume or fork. */
  readonly session: SessionStart;
  /** No project configuration may take effect: no settings, hooks, servers or rules (X6). */
  readonly untrusted?: boolean | undefined;
  /** The root of the trusted repository; absent if the project is not trusted. */
  readonly trustedRoot?: string | undefined;
  readonly mode?: string | undefined;
  readonly model?: string | undefined;
  /** Absolute directories besides the project; omitted if the agent does not support them. */
  readonly directories?: readonly string[] | undefined;
  readonly mcpServers?: McpServers | undefined;
  /** Plugin folders, for agents that support them. */
  readonly plugins?: readonly string[] | undefined;
  /** Usage before this start, to which the driver adds (A10). */
  readonly usage?: Usage | undefined;
  /** Maximum line length in bytes; longer lines are counted as drift. */
  readonly maxLine: number;
}

export interface DriverSink {
  /** Journals durable changes before it returns, so that the driver may write to the agent afterwards. */
  emit(outputs: readonly Output[]): void;
  /** Raw lines for the recording (A2). */
  record(direction: 'in' | 'out' | 'err' | 'note', line: string): void;
  /** The process is running. Called before its output is read, so that it is in the ledger first. */
  spawned(pid: number): void;
  /** The handshake is complete: prompts may be sent. */
  ready(): void;
  /** Called once, at the end; nothing is emitted after it. */
  exited(exit: AgentExit): void;
}

export interface Agent {
  /** The host has journaled it as sending. Starts a turn if none is running, then writes. Only after `ready`. */
  prompt(prompt: Prompt): void;
  /** Cancels the turn by the protocol's own means; the end of the turn is emitted later. */
  cancel(): void;
  /** The host has already settled the request; this replies to the agent. */
  answer(request: RequestEntry, answer: Answer): void;
  /** `mode`, `model`, or one of the reported options. */
  configure(option: string, value: string): void;
  /** A reported control; resolves even if it fails or the agent exits. */
  control?(what: string, input: ControlInput): Promise<ControlAnswer>;
  /** The agent's sessions of the project; empty if unknown or if the agent exits. */
  sessions?(): Promise<readonly AgentSession[]>;
  /** Sends the protocol's shutdown message and closes stdin; the host sends signals (L8). */
  end(): void;
}

/** A past change with its time. */
export interface DatedChange {
  readonly at: number;
  readonly body: ChangeBody;
}

export interface Driver {
  /** Its protocol, as in the catalog. */
  readonly protocol: string;
  start(start: AgentStart, sink: DriverSink): Agent;
  /** Reads a session's history from the agent's own files (A42). Does not start the agent. */
  history?(start: Pick<AgentStart, 'environment' | 'directory' | 'session'>): readonly DatedChange[];
  /** Turns that another program added to one of our sessions since the last known entry. Does not start the agent. */
  externalTurns?(
    start: Pick<AgentStart, 'environment' | 'directory' | 'session'>,
    isKnown: (entry: string) => boolean,
  ): readonly DatedChange[];
  /**
   * The entries, in order, that are missing from the agent's own transcript (A42); undefined if it is inconclusive.
   * Does not start the agent.
   */
  missingFrom?(
    start: Pick<AgentStart, 'environment' | 'directory' | 'session'>,
    entries: readonly string[],
  ): ReadonlySet<string> | undefined;
}
