/** Reports turn boundaries to the recorder of the project's files (W4, T3). */
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
}

export function recordTurns(trees: TreeRecorder | undefined, changes: readonly Change[]): void {
  for (const change of changes) {
    if (change.kind === 'prompt.accepted' && !change.prompt.steer) trees?.accepted();
    else if (change.kind === 'turn.started') trees?.started(change.turn);
    else if (change.kind === 'turn.joined') trees?.joined(change.turn, change.prompt);
    else if (change.kind === 'turn.ended') trees?.ended(change.turn);
  }
}
