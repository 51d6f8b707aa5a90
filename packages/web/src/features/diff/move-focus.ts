/** Moves the focus by a step among matching elements of a list; from outside, to the first or last. */
export function moveFocus(list: HTMLElement, selector: string, step: number): HTMLElement | undefined {
  const items = [...list.querySelectorAll<HTMLElement>(selector)];
  const current = document.activeElement?.closest<HTMLElement>(selector);
  const at = current ? items.indexOf(current) : -1;
  const next =
    at === -1 ? (step > 0 ? 0 : items.length - 1) : Math.min(items.length - 1, Math.max(0, at + step));
  const item = items[next];
  item?.focus();
  return item;
}
