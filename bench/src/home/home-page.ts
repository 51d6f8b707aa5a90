/** Scripts that run in the page. Each must not use anything outside its own body: its source is sent to the browser. */
declare global {
  interface Window {
    /** When the first element of each selector was in the DOM, in milliseconds after the navigation. */
    firstAt: Record<string, number>;
    socket: WebSocket | undefined;
  }
}

export function installHomeProbe(): void {
  window.firstAt = {};
  const Original = window.WebSocket;
  window.WebSocket = class extends Original {
    constructor(url: string | URL, protocols?: string | string[]) {
      super(url, protocols);
      window.socket = this;
    }
  };
  const selectors = ['.home-scroll [data-session]', 'article[data-entry-id]'];
  // Ends with the first of them, so that it costs nothing while Home is measured.
  const observer = new MutationObserver(() => {
    for (const selector of selectors) {
      if (!document.querySelector(selector)) continue;
      window.firstAt[selector] = performance.now();
      observer.disconnect();
    }
  });
  observer.observe(document, { subtree: true, childList: true });
}

export interface FedRows {
  readonly project: string;
  readonly sessions: readonly string[];
  readonly feed: number;
  /** Between two changes of a session. */
  readonly everyMs: number;
}

/** Rows of working sessions, as the server sends them: one after the other, evenly. */
export function feedRows({ project, sessions, feed, everyMs }: FedRows): void {
  const started = Date.now();
  let turn = 0;
  const send = () => {
    const at = turn % sessions.length;
    const step = Math.floor(turn / sessions.length);
    turn += 1;
    const row = {
      ...{ id: sessions[at], project, agent: 'claude', title: `Session ${at} of the board` },
      ...{ createdAt: started, activeAt: started, archived: false, live: true },
      summary: {
        ...{ v: step, agentState: 'connected', turn: 'running', waiting: 0, entries: step },
        ...{ changedAt: Date.now(), turnStartedAt: started, activity: `npm test, step ${step}` },
        todos: { done: step % 6, total: 6 },
        changes: { files: 3, added: step, removed: 7, last: step },
      },
    };
    const text = new TextEncoder().encode(JSON.stringify({ type: 'session', row }));
    const frame = new Uint8Array(5 + text.length);
    frame[0] = feed;
    frame.set(text, 5);
    window.socket?.dispatchEvent(new MessageEvent('message', { data: frame.buffer }));
  };
  for (let one = 0; one < sessions.length; one++) send();
  setInterval(send, everyMs / sessions.length);
}
