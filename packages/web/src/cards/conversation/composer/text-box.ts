/** CSS can size the box without a forced layout. */
const growsByItself = CSS.supports('field-sizing', 'content');

/** Sizes a text box to its text in browsers without `field-sizing`. */
export function grow(box: HTMLTextAreaElement): void {
  if (growsByItself) return;
  const maxHeight = Number.parseFloat(getComputedStyle(box).maxHeight) || Number.POSITIVE_INFINITY;
  box.style.height = '0';
  const wanted = Math.min(box.scrollHeight, maxHeight);
  box.style.height = `${wanted}px`;
  box.style.overflowY = box.scrollHeight > maxHeight ? 'auto' : 'hidden';
}

/** Replaces a range of the text as if typed, so that Ctrl+Z undoes it. */
export function insertText(box: HTMLTextAreaElement, start: number, end: number, text: string): void {
  box.focus();
  box.setSelectionRange(start, end);
  // Deprecated, but the only way that keeps the browser's undo history.
  if (document.execCommand('insertText', false, text)) return;
  box.setRangeText(text, start, end, 'end');
  box.dispatchEvent(new Event('input', { bubbles: true }));
}
