/**
 * Control requests to the agent: queued until it is ready; the answer goes into the entry opened for the request. An
 * entry that the agent's exit has already settled is left alone.
 */
import type { Agent, ControlAnswer, ControlInput } from '@tugdeck/drivers/kit/port';
import type { ChangeBody } from '@tugdeck/protocol/conversation/changes';
import { openSeq } from '@tugdeck/protocol/conversation/state';
import type { SessionLog } from './session-log.ts';

export interface PendingControl {
  readonly entry: string;
  readonly what: string;
  readonly input: ControlInput;
}

const NOT_OFFERED: ControlAnswer = { ok: false, text: 'The agent does not offer this.' };

export class PendingControls {
  readonly #sessionLog: SessionLog;
  #waiting: PendingControl[] = [];

  constructor(sessionLog: SessionLog) {
    this.#sessionLog = sessionLog;
  }

  queue(pending: PendingControl): void {
    this.#waiting.push(pending);
  }

  /** The agent is ready. */
  flush(agent: Agent): void {
    for (const pending of this.#take()) void this.send(agent, pending);
  }

  async send(agent: Agent, pending: PendingControl): Promise<void> {
    const answer = agent.control ? await agent.control(pending.what, pending.input) : NOT_OFFERED;
    if (this.#isOpen(pending)) this.#sessionLog.commit([closing(pending, answer)]);
  }

  /** The agent could not be started: fails all queued controls with the reason. */
  failAll(reason: string): ChangeBody[] {
    return this.#take().map((pending) => closing(pending, { ok: false, text: reason }));
  }

  #take(): PendingControl[] {
    return this.#waiting.splice(0).filter((pending) => this.#isOpen(pending));
  }

  #isOpen({ entry }: PendingControl): boolean {
    return openSeq(this.#sessionLog.state, entry) !== undefined;
  }
}

function closing({ entry }: PendingControl, { ok, text, data }: ControlAnswer): ChangeBody {
  const patch = data === undefined ? { text } : { text, data };
  return { kind: 'entry.closed', entry, status: ok ? 'complete' : 'failed', patch };
}
