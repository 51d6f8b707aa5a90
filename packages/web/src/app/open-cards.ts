/**
 * The open cards, in order. Opening an open session brings it forward and never makes a second one (D2); closing
 * one shows its neighbour and stops nothing (D11). Pure.
 */
export function withCard(cards: readonly string[], session: string): readonly string[] {
  return cards.includes(session) ? cards : [...cards, session];
}

export function withoutCard(cards: readonly string[], session: string): readonly string[] {
  return cards.filter((card) => card !== session);
}

/** What to show after `session` closed, when it was the active one. */
export function neighbour(cards: readonly string[], session: string): string | undefined {
  const at = cards.indexOf(session);
  return at < 0 ? cards.at(-1) : (cards[at + 1] ?? cards[at - 1]);
}
