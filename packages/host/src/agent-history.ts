/**
 * Brings what the agent's own files have into our history: a session that began elsewhere, turns that another program
 * made (A42), and the rest of a turn that was cut off (H12). Writes through the keeper; starts nothing.
 */
import type { Driver } from '@tugdeck/drivers/kit/port';
import type { Log } from '@tugdeck/local/log';
import { type Conversation, entryById, promptUnderway } from '@tugdeck/protocol/conversation/state';
import { isFileSystemError } from './disk-errors.ts';
import { markMissing } from './missing-context.ts';
import { hostNotice } from './notices.ts';
import { type Recovery, recoveryChanges } from './recovery.ts';
import type { RunnerPorts } from './runner.ts';
import type { SessionLog, SessionLogPorts } from './session-log.ts';
import { recordedTurn } from './turn-match.ts';

export interface AgentHistoryPorts extends Pick<RunnerPorts, 'launch' | 'label' | 'now'> {
  readonly driver: Driver;
  readonly store: Pick<SessionLogPorts, 'find'>;
  readonly log: Log;
  /** The end of a session as the agent's own file has it, back to where it is enough; undefined without a file. */
  readonly readRecord?:
    | ((agentSession: string, isEnough: (record: Conversation) => boolean) => Conversation | undefined)
    | undefined;
}

export class AgentHistory {
  readonly #sessionLog: SessionLog;
  readonly #ports: AgentHistoryPorts;

  constructor(keeper: SessionLog, ports: AgentHistoryPorts) {
    this.#sessionLog = keeper;
    this.#ports = ports;
  }

  get #state(): Conversation {
    return this.#sessionLog.state;
  }

  #isKnown(entry: string): boolean {
    return (entryById(this.#state, entry) ?? this.#ports.store.find(entry)) !== undefined;
  }

  /** A session that goes on with one of the agent's own begins with what that one was (A42). */
  adopt(): void {
    const { driver, launch, log } = this.#ports;
    if (!launch.from || !driver.history) return;
    try {
      for (const { at, body } of driver.history({ ...launch, session: launch.from })) {
        this.#sessionLog.commit([body], undefined, at);
      }
    } catch (error) {
      // The agent knows what was; only we cannot show it.
      log.warn('the history of the session could not be read', { error });
    }
  }

  /** What another program did in the session meanwhile comes into our history, once, below a line that says so (A42). */
  importExternalTurns(id: string): void {
    const { driver, launch, log } = this.#ports;
    try {
      const start = { ...launch, session: { kind: 'resume', id } } as const;
      const isKnown = (entry: string) => entry !== '' && this.#isKnown(entry);
      // Below a message that waits already it would be out of its place; what the agent lacks is marked wherever it is.
      const told = promptUnderway(this.#state) ? [] : (driver.externalTurns?.(start, isKnown) ?? []);
      this.#sessionLog.commit(markMissing(this.#state, (entries) => driver.missingFrom?.(start, entries)));
      const [first] = told;
      if (!first) return;
      const line = hostNotice('info', 'info', 'What follows was said in another program.');
      this.#sessionLog.commit([line], undefined, first.at);
      for (const { at, body } of told) this.#sessionLog.commit([body], undefined, at);
    } catch (error) {
      log.warn('what was done elsewhere could not be read', { error });
    }
  }

  /** A message to an agent that does not run comes below what another program did meanwhile, as it will for the agent (A42). */
  catchUp(): void {
    const { agent, facts, turn } = this.#state;
    const isRunning = agent.state === 'connected' || agent.state === 'starting';
    if (!isRunning && !turn && facts.agentSession !== undefined) this.importExternalTurns(facts.agentSession);
  }

  /** Settles what was cut off, with what the agent's own file has of it, in one batch (H12). */
  recover(why: string): Recovery {
    const left = recoveryChanges(this.#state, {
      label: this.#ports.label,
      why,
      now: this.#ports.now(),
      isKnown: (entry) => this.#isKnown(entry),
      readRecord: () => this.#readRecord((record) => recordedTurn(this.#state, record) !== undefined),
    });
    this.#sessionLog.commitDated(left.changes);
    return left;
  }

  /** The same where the disk may be full: false when it still is. */
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

  /** Whether the agent keeps a file of this session that we can read. */
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
