const MAX_LINES = 10;

/** CSS can size the box without a forced layout. */
const growsByItself = CSS.supports('field-sizing', 'content');

/** Sizes a text box to its text, up to ten lines, in browsers without `field-sizing`. */
export function grow(box: HTMLTextAreaElement): void {
  if (growsByItself) return;
  const { lineHeight, paddingTop, paddingBottom } = getComputedStyle(box);
  const padding = Number.parseFloat(paddingTop) + Number.parseFloat(paddingBottom);
  const maxHeight = Number.parseFloat(lineHeight) * MAX_LINES + padding;
  box.style.height = '0';
  const wanted = Math.min(box.scrollHeight, maxHeight);
  box.style.height = `${wanted}px`;
  box.style.overflowY = box.scrollHeight > maxHeight ? 'auto' : 'hidden';
}
