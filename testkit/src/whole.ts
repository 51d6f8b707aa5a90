/** Runs in the page: whether the left and right ends of an element are on screen, neither clipped nor covered. */
export function isWhole(element: Element): boolean {
  const { left, right, top, height } = element.getBoundingClientRect();
  return [left + 1, right - 1].every((x) => element.contains(document.elementFromPoint(x, top + height / 2)));
}
