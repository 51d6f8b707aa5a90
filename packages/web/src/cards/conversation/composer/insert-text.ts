/** Replaces a range of the text as if typed, so that Ctrl+Z undoes it. */
export function insertText(box: HTMLTextAreaElement, start: number, end: number, text: string): void {
  box.focus();
  box.setSelectionRange(start, end);
  // Deprecated, but the only way that keeps the browser's undo history.
  if (document.execCommand('insertText', false, text)) return;
  box.setRangeText(text, start, end, 'end');
  box.dispatchEvent(new Event('input', { bubbles: true }));
}
