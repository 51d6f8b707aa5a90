/**
 * Converts the agent's own session file to changes (A40, A42) for an adopted session, without starting the agent.
 * Pure.
 */
import type { Change } from '@tugdeck/protocol/conversation/changes';
import { fold, foldAppend } from '@tugdeck/protocol/conversation/fold';
import { type Conversation, EMPTY } from '@tugdeck/protocol/conversation/state';
import { textAt } from '../kit/fields.ts';
import type { DatedChange, Output } from '../kit/port.ts';
import { HistoryReader, type HistorySink } from './history-reader.ts';
import { type DiskLine, threadOf } from './history-thread.ts';

export { type DiskLine, parseLine, subagentsOf } from './history-thread.ts';

export interface History {
  readonly conversation: Conversation;
  /** The changes that produced it. */
  readonly changes: readonly DatedChange[];
  /** Whether the thread starts at its first line; otherwise the file has more before it. */
  readonly whole: boolean;
}

/** `sidechains`: lines of subagent files by subagent id. `until`: uuid of the last line to use, if not the newest. */
export function readHistory(
  lines: readonly DiskLine[],
  sidechains: ReadonlyMap<string, readonly DiskLine[]> = new Map(),
  until?: string,
): History {
  const { thread, whole } = threadOf(lines, until);
  const inline = lines.filter((line) => line.isSidechain === true);
  const sink = new CollectingSink();
  const reader = new HistoryReader(
    sink,
    (agent) => sidechains.get(agent) ?? inline.filter((line) => line.agentId === agent),
  );
  for (const line of thread) reader.take(line);
  reader.finish();
  for (const line of lines) {
    if (line.type === 'custom-title') reader.title(textAt(line, 'customTitle') ?? textAt(line, 'title'));
  }
  return { conversation: sink.state, changes: sink.changes, whole };
}

class CollectingSink implements HistorySink {
  state: Conversation = EMPTY;
  at = 0;
  readonly changes: DatedChange[] = [];

  put(outputs: readonly Output[]): void {
    for (const output of outputs) {
      if (output.kind === 'live') this.state = foldAppend(this.state, output);
      else {
        this.changes.push({ at: this.at, body: output });
        this.state = fold(this.state, { ...output, v: this.state.v + 1, at: this.at } as Change);
      }
    }
  }
}
