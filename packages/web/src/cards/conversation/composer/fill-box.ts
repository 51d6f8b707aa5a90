/** Puts a text into the composer as if it had been typed, and the cursor behind it. */
export function fillBox(box: HTMLTextAreaElement | null, text: string): void {
  if (!box) return;
  box.focus();
  const set = Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, 'value')?.set;
  set?.call(box, text);
  box.dispatchEvent(new Event('input', { bubbles: true }));
  box.setSelectionRange(text.length, text.length);
}
