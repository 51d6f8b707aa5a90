/**
 * Imports changes from the agent's own session file: an adopted session, turns of other programs (A42), and the rest
 * of an interrupted turn (H12). Writes through the session log; does not start the agent.
 */
import { afterExit, crashWords } from '@tugdeck/drivers/kit/after-exit';
import type { AgentExit, AgentStart, Driver, SessionStart } from '@tugdeck/drivers/kit/port';
import type { Log } from '@tugdeck/local/log';
import { settleOpen } from '@tugdeck/protocol/conversation/settle';
import {
  type Conversation,
  entryById,
  pendingRequests,
  promptUnderway,
} from '@tugdeck/protocol/conversation/state';
import { isFileSystemError } from './disk-errors.ts';
import { markMissing } from './missing-context.ts';
import { hostNotice } from './notices.ts';
import { type Recovery, recoveryChanges } from './recovery.ts';
import type { SessionLog, SessionLogPorts } from './session-log.ts';
import { recordedTurn } from './turn-match.ts';

export interface AgentHistoryPorts {
  readonly driver: Driver;
  readonly launch: Omit<AgentStart, 'session' | 'usage'> & {
    /** The agent's session to resume or fork, for a session that does not have one yet. Default: a new session. */
    readonly from?: SessionStart | undefined;
  };
  readonly label: string;
  readonly now: () => number;
  readonly store: Pick<SessionLogPorts, 'find'>;
  readonly log: Log;
  /**
   * Reads the end of a session from the agent's own file, as far back as `isEnough` asks. Undefined if the file is
   * missing.
   */
  readonly readRecord?:
    | ((agentSession: string, isEnough: (record: Conversation) => boolean) => Conversation | undefined)
    | undefined;
}

export class AgentHistory {
  readonly #sessionLog: SessionLog;
  readonly #ports: AgentHistoryPorts;

  constructor(sessionLog: SessionLog, ports: AgentHistoryPorts) {
    this.#sessionLog = sessionLog;
    this.#ports = ports;
  }

  get #state(): Conversation {
    return this.#sessionLog.state;
  }

  #isKnown(entry: string): boolean {
    return (entryById(this.#state, entry) ?? this.#ports.store.find(entry)) !== undefined;
  }

  /** Imports the history of the agent's session that this one adopts (A42). */
  adopt(): void {
    const { driver, launch, log } = this.#ports;
    if (!launch.from || !driver.history) return;
    try {
      for (const { at, body } of driver.history({ ...launch, session: launch.from })) {
        this.#sessionLog.commit([body], undefined, at);
      }
    } catch (error) {
      // The agent still has the history; only our copy of it is missing.
      log.warn('the history of the session could not be read', { error });
    }
  }

  /** Imports turns of other programs, once, below a notice (A42). */
  importExternalTurns(id: string): void {
    const { driver, launch, log } = this.#ports;
    // After a restore the agent continues elsewhere: later turns of that session are not ours.
    if (this.#state.memory) return;
    try {
      const start = { ...launch, session: { kind: 'resume', id } } as const;
      const isKnown = (entry: string) => entry !== '' && this.#isKnown(entry);
      // Turns cannot be inserted above a prompt that is already pending. Missing entries are marked in any case.
      const turns = promptUnderway(this.#state) ? [] : (driver.externalTurns?.(start, isKnown) ?? []);
      this.#sessionLog.commit(markMissing(this.#state, (entries) => driver.missingFrom?.(start, entries)));
      const [first] = turns;
      if (!first) return;
      const line = hostNotice('info', 'info', 'The following is from another program.');
      this.#sessionLog.commit([line], undefined, first.at);
      for (const { at, body } of turns) this.#sessionLog.commit([body], undefined, at);
    } catch (error) {
      log.warn('turns of other programs could not be read', { error });
    }
  }

  /**
   * Before a prompt to an agent that is not running: imports turns of other programs, so that the prompt comes after
   * them (A42).
   */
  catchUp(): void {
    const { agent, facts, turn } = this.#state;
    const isRunning = agent.state === 'connected' || agent.state === 'starting';
    if (!isRunning && !turn && facts.agentSession !== undefined) this.importExternalTurns(facts.agentSession);
  }

  /** Settles an interrupted turn with the contents of the agent's own file, in one batch (H12). */
  recover(why: string, detail?: string): Recovery {
    const left = recoveryChanges(this.#state, {
      label: this.#ports.label,
      why,
      detail,
      now: this.#ports.now(),
      isKnown: (entry) => this.#isKnown(entry),
      readRecord: () => this.#readRecord((record) => recordedTurn(this.#state, record) !== undefined),
    });
    this.#sessionLog.commitDated(left.changes);
    return left;
  }

  /**
   * Settles what the agent's exit leaves open (H6). The returned function settles a turn that a crash interrupted, with the
   * contents of the agent's own file (H12). Call it when no child process of the agent can write to that file.
   */
  settleExit(exit: AgentExit, expected: boolean): () => void {
    if (expected || !this.#state.turn || !this.hasReadableFile()) {
      this.#sessionLog.commit(afterExit(this.#state, exit, { expected }));
      return () => undefined;
    }
    const requests = new Set(pendingRequests(this.#state).map(({ id }) => id));
    this.#sessionLog.commit(settleOpen(this.#state, 'crash', (id) => requests.has(id)));
    const { text, detail } = crashWords(exit);
    return () => this.recover(text, detail);
  }

  /** Like `recover`, but returns false while the disk is full. */
  tryRecover(why: string): boolean {
    try {
      this.recover(why);
      this.#sessionLog.sync();
      return true;
    } catch (error) {
      if (!isFileSystemError(error)) throw error;
      return false;
    }
  }

  /** Whether the agent keeps a readable file of this session. */
  hasReadableFile(): boolean {
    return this.#readRecord(() => true) !== undefined;
  }

  #readRecord(isEnough: (record: Conversation) => boolean): Conversation | undefined {
    const { agentSession } = this.#state.facts;
    if (!agentSession) return undefined;
    try {
      return this.#ports.readRecord?.(agentSession, isEnough);
    } catch (error) {
      this.#ports.log.warn("the agent's session file could not be read", { error });
      return undefined;
    }
  }
}
