/** Keys that the page handles while a terminal has the focus, and clipboard requests of programs. Pure. */
const MAX_COPIED = 100 * 1024;

type Key = Pick<KeyboardEvent, 'key' | 'code' | 'altKey' | 'ctrlKey' | 'metaKey' | 'shiftKey'>;

/** Keys that leave a terminal, which uses Tab and Esc itself: cards by number, the palette, and Ctrl+` (D21). */
export function isForPage({ key, code, altKey, ctrlKey, metaKey, shiftKey }: Key): boolean {
  if (altKey && !ctrlKey && !metaKey && /^Digit[1-9]$/.test(code)) return true;
  if ((ctrlKey || metaKey) && !altKey && !shiftKey && code === 'Backquote') return true;
  return ctrlKey && shiftKey && key.toLowerCase() === 'k';
}

/** The text of a clipboard write request (OSC 52). Read requests are never answered. */
export function clipboardRequest(data: string): string | undefined {
  const encoded = data.slice(data.indexOf(';') + 1);
  if (encoded === '?' || encoded === '' || encoded.length > MAX_COPIED * 1.4) return undefined;
  try {
    const bytes = Uint8Array.from(atob(encoded), (unit) => unit.charCodeAt(0));
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined; // Invalid base64: nothing to offer.
  }
}
