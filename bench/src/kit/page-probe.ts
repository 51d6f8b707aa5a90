/**
 * Runs in the page before the product: records when each frame arrived at the socket, its size, and when a numbered
 * word was first in the DOM. Times are of this machine's clock, in milliseconds. Must not use anything outside its
 * own body, because its source is sent to the browser.
 */
export interface SeenFrame {
  readonly at: number;
  readonly feed: number;
  readonly bytes: number;
  /** The highest word number in it. */
  readonly word: number;
}

export interface Probe {
  frames: SeenFrame[];
  /** When the word with this number was first in the DOM. */
  drawn: Record<number, number>;
  /** When the first entry of a conversation was in the DOM. */
  entryAt: number | undefined;
  /** When the page's code started, and when IndexedDB last answered. */
  codeAt: number | undefined;
  storeAt: number | undefined;
  /** When an element with this selector first existed after the call. */
  until(selector: string): Promise<number>;
  /** Clears the records. Numbers must keep increasing, because earlier answers are still in the DOM. */
  clear(): void;
}

declare global {
  interface Window {
    probe: Probe;
  }
}

export function installProbe(): void {
  const now = () => performance.timeOrigin + performance.now();
  let last = -1;
  /** Words are in order, so the last one is among the last characters. */
  const newest = (text: string): number => {
    const found = [...text.slice(-400).matchAll(/w(\d{5})/g)].at(-1);
    return found ? Number(found[1]) : -1;
  };
  const waiting = new Set<() => void>();
  const probe: Probe = {
    frames: [],
    drawn: {},
    entryAt: undefined,
    codeAt: undefined,
    storeAt: undefined,
    until: (selector) =>
      new Promise((resolve) => {
        const check = () => {
          if (!document.querySelector(selector)) return;
          waiting.delete(check);
          resolve(now());
        };
        waiting.add(check);
        check();
      }),
    clear() {
      probe.frames = [];
      probe.drawn = {};
    },
  };
  window.probe = probe;
  // The page opens IndexedDB before anything else and reads nothing from it after rendering.
  const { open } = IDBFactory.prototype;
  IDBFactory.prototype.open = function (...args) {
    probe.codeAt ??= now();
    return open.apply(this, args);
  };
  const { get } = IDBObjectStore.prototype;
  IDBObjectStore.prototype.get = function (key) {
    const request = get.call(this, key);
    request.addEventListener('success', () => {
      if (probe.entryAt === undefined) probe.storeAt = now();
    });
    return request;
  };
  const Original = window.WebSocket;
  window.WebSocket = class extends Original {
    constructor(url: string | URL, protocols?: string | string[]) {
      super(url, protocols);
      this.addEventListener('message', ({ data }) => {
        const at = now();
        const bytes = new Uint8Array(data as ArrayBuffer);
        const word = newest(new TextDecoder().decode(bytes.subarray(5)));
        probe.frames.push({ at, feed: bytes[0] ?? 0, bytes: bytes.length, word });
      });
    }
  };
  new MutationObserver(() => {
    if (probe.entryAt === undefined && document.querySelector('[role="log"] article')) probe.entryAt = now();
    for (const check of [...waiting]) check();
    const entries = document.querySelectorAll('article[data-entry-kind="text"]');
    const word = newest(entries[entries.length - 1]?.textContent ?? '');
    if (word <= last) return;
    const at = now();
    for (let index = last + 1; index <= word; index++) probe.drawn[index] = at;
    last = word;
  }).observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
}
