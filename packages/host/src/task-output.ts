/**
 * The output of commands that run (C4), for agents that stream none and tell it when asked: while somebody follows the
 * session, the output of each running shell task is asked for and put into its entry as live text.
 */
import type { Agent } from '@tugdeck/drivers/kit/port';
import type { Timings } from '@tugdeck/local/timings';
import type { ToolEntry } from '@tugdeck/protocol/conversation/entries';
import { type Conversation, entryById, openEntries } from '@tugdeck/protocol/conversation/state';
import type { SessionLog } from './session-log.ts';

const CONTROL = 'task.output';
/** Of a longer output the end is shown while it runs. */
const MAX_OUTPUT = 16 * 1024;

export interface TaskOutputPorts {
  readonly sessionLog: Pick<SessionLog, 'state' | 'emit'>;
  readonly timings: Pick<Timings, 'taskOutputMs'>;
  /** Somebody follows the session. */
  readonly isFollowed: () => boolean;
}

export class TaskOutput {
  readonly #ports: TaskOutputPorts;
  readonly #agent: () => Agent | undefined;
  readonly #requested = new Set<string>();
  #timer: NodeJS.Timeout | undefined;

  /** `agent`: while it can be asked. */
  constructor(ports: TaskOutputPorts, agent: () => Agent | undefined) {
    this.#ports = ports;
    this.#agent = agent;
  }

  /** The conversation changed: a task may have begun. Cheap where none runs. */
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
    const asked = this.#agent();
    if (!asked?.control || !isFollowed()) return;
    for (const { id, task } of running(sessionLog.state)) {
      if (task === undefined || this.#requested.has(id)) continue;
      this.#requested.add(id);
      void asked.control(CONTROL, { task }).then(({ ok, text }) => {
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

/** Commands with a task whose agent can tell its output. */
function running(state: Conversation): ToolEntry[] {
  if (!state.facts.controls?.includes(CONTROL)) return [];
  return openEntries(state).filter((entry): entry is ToolEntry => entry.kind === 'tool' && isRunning(entry));
}

function isRunning({ toolKind, state, task }: ToolEntry): boolean {
  return toolKind === 'shell' && task !== undefined && (state === 'running' || state === 'background');
}
