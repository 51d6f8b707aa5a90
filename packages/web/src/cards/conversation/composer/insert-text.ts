/** Replaces a part of what is written as if it had been typed, so that Ctrl+Z takes it back. */
export function insertText(box: HTMLTextAreaElement, start: number, end: number, text: string): void {
  box.focus();
  box.setSelectionRange(start, end);
  // Deprecated, and still the only way that keeps the browser's history of edits.
  if (document.execCommand('insertText', false, text)) return;
  box.setRangeText(text, start, end, 'end');
  box.dispatchEvent(new Event('input', { bubbles: true }));
}
