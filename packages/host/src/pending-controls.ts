/**
 * Control requests to the agent, queued until it is ready. The answer to a command goes into the entry opened for it,
 * unless the agent's exit has already settled that entry; the answer to a query goes to its client.
 */
import type { Agent, ControlAnswer, ControlInput } from '@tugdeck/drivers/kit/port';
import type { ChangeBody } from '@tugdeck/protocol/conversation/changes';
import { openSeq } from '@tugdeck/protocol/conversation/state';
import type { SessionLog } from './session-log.ts';

interface ControlRequest {
  readonly what: string;
  readonly input: ControlInput;
}

export type PendingControl =
  | (ControlRequest & { readonly entry: string })
  | (ControlRequest & { readonly answer: (answer: ControlAnswer) => void });

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
    this.#sessionLog.commit(this.#settle(pending, answer));
  }

  /** The agent could not be started: fails all queued controls with the reason. */
  failAll(reason: string): ChangeBody[] {
    return this.#take().flatMap((pending) => this.#settle(pending, { ok: false, text: reason }));
  }

  #take(): PendingControl[] {
    return this.#waiting.splice(0).filter((pending) => this.#isOpen(pending));
  }

  #isOpen(pending: PendingControl): boolean {
    return 'answer' in pending || openSeq(this.#sessionLog.state, pending.entry) !== undefined;
  }

  #settle(pending: PendingControl, answer: ControlAnswer): ChangeBody[] {
    if (!this.#isOpen(pending)) return [];
    if ('answer' in pending) {
      pending.answer(answer);
      return [];
    }
    const { ok, text, data } = answer;
    const patch = data === undefined ? { text } : { text, data };
    const status = ok ? 'complete' : 'failed';
    return [{ kind: 'entry.closed', entry: pending.entry, status, patch }];
  }
}
