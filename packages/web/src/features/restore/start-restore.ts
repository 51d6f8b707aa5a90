/** Opens the preview of a restore in a conversation's card. Nothing changes until the user confirms it (T11). */
import type { Card } from '../conversation/card-context.tsx';

/** Previews a restore to before a message of the user. */
export function previewRestore(
  { restoring }: Pick<Card, 'restoring'>,
  entry: string,
  { isTurn = false } = {},
): void {
  restoring.set({ entry, isTurn });
}

/** Previews a restore to before a turn. Returns false if no message of the user started it. */
export function previewTurnRestore(card: Pick<Card, 'restoring' | 'channel'>, turn: string): boolean {
  const { turns } = card.channel.view.get().conversation;
  const prompt = turns.find(({ id }) => id === turn)?.prompts[0];
  if (prompt === undefined) return false;
  previewRestore(card, prompt, { isTurn: true });
  return true;
}
