/** Finds local web addresses in a terminal's last lines (W7), at most twice a second, however much is printed. */
import { findLocalAddresses } from '@tugdeck/protocol/preview/local-address';
import type { Terminal } from '@xterm/xterm';

const PAUSE_MS = 500;
/** Lines above the screen: a server's banner may have scrolled out in the meantime. */
const LINES_ABOVE = 100;

export function watchAddresses(terminal: Terminal, seen: (addresses: readonly string[]) => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const read = () => {
    timer = undefined;
    const { active } = terminal.buffer;
    let text = '';
    for (let at = Math.max(0, active.baseY - LINES_ABOVE); at < active.baseY + terminal.rows; at++) {
      const line = active.getLine(at);
      if (line) text += `${line.isWrapped ? '' : '\n'}${line.translateToString(true)}`;
    }
    const addresses = findLocalAddresses(text);
    if (addresses.length > 0) seen(addresses);
  };
  const parsed = terminal.onWriteParsed(() => {
    timer ??= setTimeout(read, PAUSE_MS);
  });
  return () => {
    clearTimeout(timer);
    parsed.dispose();
  };
}
