/** Steps through earlier messages with the arrow keys. Pure: newest first, `at` −1 is the draft. */
export interface HistoryPlace {
  readonly at: number;
  readonly text: string;
}

export function olderMessage(history: readonly string[], place: HistoryPlace): HistoryPlace | undefined {
  const at = place.at + 1;
  const text = history[at];
  return text === undefined ? undefined : { at, text };
}

export function newerMessage(history: readonly string[], place: HistoryPlace): HistoryPlace | undefined {
  if (place.at < 0) return undefined;
  const at = place.at - 1;
  return { at, text: at < 0 ? '' : (history[at] ?? '') };
}

/** Distinct texts, newest first. */
export function historyOf(texts: readonly string[]): string[] {
  return [...new Set(texts.toReversed())].filter((text) => text.trim() !== '');
}
