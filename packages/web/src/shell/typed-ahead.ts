/** Text typed for a dialog while it was loading. */
let typed = '';

export function typeAhead(key: string): void {
  if (key.length === 1) typed += key;
  else if (key === 'Backspace') typed = typed.slice(0, -1);
}

export function takeTyped(): string {
  const taken = typed;
  typed = '';
  return taken;
}
