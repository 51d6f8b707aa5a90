/**
 * Live output of running shell tasks (C4), for agents that do not stream it: while a client follows the session, the
 * output is polled and appended to the entry.
 */
import type { Agent } from '@tugdeck/drivers/kit/port';
import type { Timings } from '@tugdeck/local/timings';
import type { ToolEntry } from '@tugdeck/protocol/conversation/entries';
import { type Conversation, entryById, openEntries } from '@tugdeck/protocol/conversation/state';
import type { SessionLog } from './session-log.ts';

const CONTROL = 'task.output';
/** Only the end of a longer output is shown while the task runs. */
const MAX_OUTPUT = 16 * 1024;

export interface TaskOutputPorts {
  readonly sessionLog: Pick<SessionLog, 'state' | 'emit'>;
  readonly timings: Pick<Timings, 'taskOutputMs'>;
  readonly isFollowed: () => boolean;
}

export class TaskOutput {
  readonly #ports: TaskOutputPorts;
  readonly #agent: () => Agent | undefined;
  readonly #requested = new Set<string>();
  #timer: NodeJS.Timeout | undefined;

  /** `agent`: undefined while the agent is not ready. */
  constructor(ports: TaskOutputPorts, agent: () => Agent | undefined) {
    this.#ports = ports;
    this.#agent = agent;
  }

  /** Called after every change; cheap if no task runs. */
  check(): void {
    if (this.#timer || running(this.#ports.sessionLog.state).length === 0) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#requestAll();
      this.check();
    }, this.#ports.timings.taskOutputMs);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #requestAll(): void {
    const { sessionLog, isFollowed } = this.#ports;
    const agent = this.#agent();
    if (!agent?.control || !isFollowed()) return;
    for (const { id, task } of running(sessionLog.state)) {
      if (task === undefined || this.#requested.has(id)) continue;
      this.#requested.add(id);
      void agent.control(CONTROL, { task }).then(({ ok, text }) => {
        this.#requested.delete(id);
        if (ok) this.#show(id, text);
      });
    }
  }

  #show(id: string, whole: string): void {
    const { sessionLog } = this.#ports;
    const entry = entryById(sessionLog.state, id);
    if (entry?.kind !== 'tool' || !isRunning(entry)) return;
    const known = entry.output ?? '';
    if (whole.length <= MAX_OUTPUT && whole.startsWith(known)) {
      const text = whole.slice(known.length);
      if (text !== '')
        sessionLog.emit([{ kind: 'live', entry: id, field: 'output', at: known.length, text }]);
      return;
    }
    const output = whole.slice(-MAX_OUTPUT);
    if (output !== known) sessionLog.emit([{ kind: 'entry.patched', entry: id, patch: { output } }]);
  }
}

/** Running shell commands whose output the agent can report. */
function running(state: Conversation): ToolEntry[] {
  if (!state.facts.controls?.includes(CONTROL)) return [];
  return openEntries(state).filter((entry): entry is ToolEntry => entry.kind === 'tool' && isRunning(entry));
}

function isRunning({ toolKind, state, task }: ToolEntry): boolean {
  return toolKind === 'shell' && task !== undefined && (state === 'running' || state === 'background');
}
