/**
 * Runs inside the product's page before the product does: notes when a key went down, when the page said that a program
 * asks for its clipboard (our mark: the page's own terminal has come to it), and what bytes came for a terminal. Must
 * reach nothing outside its own body, because its text is sent to the browser.
 */
export interface TerminalWatch {
  keyAt: number;
  markAt: number | undefined;
  /** Bytes that came for a terminal. */
  bytes: number;
  /** Lines of `seq` that came, each after the one before it; counted only when that is asked for. */
  lines: number;
  isCounting: boolean;
  /** Intervals between animation frames for so long. */
  frames(ms: number): Promise<number[]>;
}

declare global {
  interface Window {
    terminalWatch: TerminalWatch;
  }
}

export function installTerminalWatch(): void {
  const TERMINAL_OUT = 0x00;
  const HEAD = 5;
  const decoder = new TextDecoder();
  let rest = '';
  const watch: TerminalWatch = {
    keyAt: 0,
    markAt: undefined,
    bytes: 0,
    lines: 0,
    isCounting: false,
    frames: (ms) =>
      new Promise((resolve) => {
        const intervals: number[] = [];
        let before: number | undefined;
        const end = performance.now() + ms;
        const frame = (at: number) => {
          if (before !== undefined) intervals.push(at - before);
          before = at;
          if (at < end) requestAnimationFrame(frame);
          else resolve(intervals);
        };
        requestAnimationFrame(frame);
      }),
  };
  window.terminalWatch = watch;
  const count = (data: Uint8Array) => {
    const parts = (rest + decoder.decode(data)).split('\r\n');
    rest = parts.pop() ?? '';
    // A shell may write something of its own before the first line.
    for (const part of parts) if (part.split('\r').pop() === String(watch.lines + 1)) watch.lines += 1;
  };
  const Original = window.WebSocket;
  window.WebSocket = class extends Original {
    constructor(url: string | URL, protocols?: string | string[]) {
      super(url, protocols);
      this.addEventListener('message', ({ data }) => {
        const frame = new Uint8Array(data as ArrayBuffer);
        if (frame[0] !== TERMINAL_OUT) return;
        watch.bytes += frame.length - HEAD;
        if (watch.isCounting) count(frame.subarray(HEAD));
      });
    }
  };
  addEventListener(
    'keydown',
    () => {
      watch.keyAt = performance.now();
    },
    { capture: true },
  );
  new MutationObserver(() => {
    const isThere = document.querySelector('.terminal-notice[role="alert"]') !== null;
    if (!isThere) watch.markAt = undefined;
    else watch.markAt ??= performance.now();
  }).observe(document, { subtree: true, childList: true });
}
