/**
 * Runs in the product's page before the product: records when a key was pressed, when the page showed that a program
 * wants to write to the clipboard (our marker: the page's terminal has rendered everything before it), and the bytes
 * for a terminal. Must not use anything outside its own body, because its source is sent to the browser.
 */
export interface TerminalWatch {
  keyAt: number;
  markAt: number | undefined;
  /** Bytes received for a terminal. */
  bytes: number;
  /** Consecutive lines of `seq` received; counted only when requested. */
  lines: number;
  isCounting: boolean;
  /** Intervals between animation frames for this long. */
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
    // A shell may print something before the first line.
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
