/** Reports turn boundaries to the recorder of the project's files (W4, T3). */
import { setTimeout as wait } from 'node:timers/promises';
import type { Change } from '@tugdeck/protocol/conversation/changes';

export interface TreeRecorder {
  /** A prompt is about to be sent to the agent. */
  accepted(): void;
  /** Undefined if there is nothing to wait for before the prompt is sent. */
  ready(): Promise<unknown> | undefined;
  /** The prompt was sent before `ready` was resolved. */
  late(): void;
  started(turn: string): void;
  joined(turn: string, prompt: string): void;
  ended(turn: string): void;
  /** Resolves when everything so far is recorded. */
  settled?(): Promise<void>;
}

export function recordTurns(trees: TreeRecorder | undefined, changes: readonly Change[]): void {
  for (const change of changes) {
    if (change.kind === 'prompt.accepted' && !change.prompt.steer) trees?.accepted();
    else if (change.kind === 'turn.started') trees?.started(change.turn);
    else if (change.kind === 'turn.joined') trees?.joined(change.turn, change.prompt);
    else if (change.kind === 'turn.ended') trees?.ended(change.turn);
  }
}

/** How long an ending host waits for the files at the end of its last turn. */
const END_MS = 3_000;

/** Without its end, a turn would count as running for other sessions (T4). */
export async function endRecorded(trees: TreeRecorder | undefined): Promise<void> {
  await Promise.race([trees?.settled?.(), wait(END_MS, undefined, { ref: false })]);
}
