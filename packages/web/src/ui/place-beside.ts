const GAP = 4;
const EDGE = 8;

/** Places a popover below its button, or above if there is more room. */
export function placeBeside(box: HTMLElement, button: DOMRect): void {
  const { width, height } = box.getBoundingClientRect();
  const below = window.innerHeight - button.bottom - GAP - EDGE;
  const isAbove = height > below && button.top > below;
  const top = isAbove ? button.top - GAP - height : button.bottom + GAP;
  const left = Math.min(button.left, window.innerWidth - width - EDGE);
  box.style.top = `${Math.max(EDGE, top)}px`;
  box.style.left = `${Math.max(EDGE, left)}px`;
}
