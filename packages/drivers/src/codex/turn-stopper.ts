/**
 * Stops a turn completely: the agent's interrupt leaves the running command and subagents alone, so they are ended
 * too, except what earlier turns left in the background.
 */
import { listOf, recordOf, textAt } from '../kit/fields.ts';
import type { Peer } from '../kit/peer.ts';
import type { Thread } from './thread.ts';
import type { Translator } from './translate.ts';

export class TurnStopper {
  readonly #peer: Peer;
  readonly #translator: Translator;
  /** Requested before the turn could be stopped: an interrupt would be refused then. */
  #isWanted = false;

  constructor(peer: Peer, translator: Translator) {
    this.#peer = peer;
    this.#translator = translator;
  }

  stop(thread: Thread): void {
    const turn = thread.turns.isStarted ? thread.turns.name : undefined;
    this.#isWanted = turn === undefined && thread.turns.current !== undefined;
    if (turn !== undefined) this.#interrupt(thread, turn, true);
    for (const child of this.#translator.childrenOf(thread)) {
      if (child.working !== undefined) this.#interrupt(child, child.working, true);
    }
  }

  /** A message arrived: the turn may have started or ended. */
  onMessage(thread: Thread): void {
    if (!this.#isWanted) return;
    if (thread.turns.current === undefined) this.#isWanted = false;
    else if (thread.turns.isStarted) this.stop(thread);
  }

  #interrupt(thread: Thread, turnId: string, mayRetry: boolean): void {
    const kept = backgroundOf(thread);
    this.#peer.request('turn/interrupt', { threadId: thread.id, turnId }, ({ error }) => {
      const other = /but found `([^`]+)`/.exec(error?.message ?? '')?.[1];
      if (other !== undefined && mayRetry) this.#interrupt(thread, other, false);
      else this.#endCommands(thread, kept);
    });
  }

  #endCommands({ id: threadId }: Thread, kept: ReadonlySet<string>): void {
    this.#peer.request('thread/backgroundTerminals/list', { threadId }, ({ result }) => {
      for (const task of listOf(recordOf(result).data)) {
        const processId = textAt(task, 'processId');
        if (processId === undefined || kept.has(processId)) continue;
        this.#peer.request('thread/backgroundTerminals/terminate', { threadId, processId }, () => undefined);
      }
    });
  }
}

/** Commands left running by earlier turns. */
function backgroundOf({ items }: Thread): ReadonlySet<string> {
  const left = items.open.filter(({ settled }) => settled === 'completed' || settled === 'paused');
  return new Set(left.flatMap(({ data }) => textAt(data, 'processId') ?? []));
}
