/** Sets the composer's text as if typed, with the cursor at the end. */
export function fillBox(box: HTMLTextAreaElement | null, text: string): void {
  if (!box) return;
  box.focus();
  const set = Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, 'value')?.set;
  set?.call(box, text);
  box.dispatchEvent(new Event('input', { bubbles: true }));
  box.setSelectionRange(text.length, text.length);
}
