/** Display names of keys. */
export function isApple(platform = navigator.platform): boolean {
  return /mac|iphone|ipad/i.test(platform);
}

export function keyNames(press: string, apple = isApple()): readonly string[] {
  return press
    .split('+')
    .map((name) => (name === 'Mod' ? (apple ? '⌘' : 'Ctrl') : apple && name === 'Alt' ? '⌥' : name));
}

/** A key combination as one text: "Ctrl+K". */
export function keyText(press: string, apple = isApple()): string {
  return keyNames(press, apple).join('+');
}

/** All keys of an action: "N or Alt+N". Its plain letter is another row of the table. */
export function actionKeys(
  id: string,
  map: ReadonlyMap<string, string>,
  apple = isApple(),
): string | undefined {
  const presses = [map.get(`${id}-plain`), map.get(id)].filter((press) => press !== undefined);
  return presses.length === 0 ? undefined : presses.map((press) => keyText(press, apple)).join(' or ');
}

/** Whether keys at this target are text input. */
export function isWriting(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    target.closest('input, textarea, select, [contenteditable], [data-writes]') !== null
  );
}
