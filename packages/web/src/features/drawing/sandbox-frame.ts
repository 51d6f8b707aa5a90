/**
 * A sandboxed iframe and its message port: opened with the first request, closed when idle, discarded when it does
 * not reply in time (a source can keep a parser busy forever). One request at a time, in order. A timeout may be
 * due to a busy machine, so a request is retried once, after all others and with more time. Replies are untrusted:
 * callers parse them. Never throws.
 */
export interface SandboxFrame {
  /** The unparsed reply; undefined after a timeout. */
  request(message: object): Promise<unknown>;
}

export interface SandboxFrameOptions {
  readonly address: string;
  readonly title: string;
  /** Timeout of one request. */
  readonly timeoutMs: number;
  readonly idleMs: number;
}

/** Timeout for loading the frame and its library. */
const LOADING_MS = 60_000;
/** Timeout factor of the retry. */
const RETRY_FACTOR = 3;

interface Task {
  readonly message: object;
  readonly done: (answer: unknown) => void;
  readonly isRetry?: true;
}

export function createSandboxFrame(options: SandboxFrameOptions): SandboxFrame {
  const tasks: Task[] = [];
  let frame: HTMLIFrameElement | undefined;
  let port: MessagePort | undefined;
  let current: Task | undefined;
  let isReady = false;
  let lastId = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const after = (ms: number, work: () => void) => {
    clearTimeout(timer);
    timer = setTimeout(work, ms);
  };

  const close = () => {
    clearTimeout(timer);
    port?.close();
    frame?.remove();
    frame = undefined;
    port = undefined;
    isReady = false;
  };

  const finish = (answer: unknown) => {
    const task = current;
    current = undefined;
    task?.done(answer);
    next();
  };

  const abort = () => {
    close();
    if (current && !current.isRetry) {
      tasks.push({ ...current, isRetry: true });
      current = undefined;
      next();
      return;
    }
    // Only the first queued request fails, also if the library never loaded.
    current ??= tasks.shift();
    finish(undefined);
  };

  const receive = ({ data }: MessageEvent) => {
    const id = typeof data === 'object' && data !== null ? data.id : undefined;
    if (id === 0) {
      isReady = true;
      next();
    } else if (current && id === lastId) {
      finish(data);
    }
  };

  const open = () => {
    const made = document.createElement('iframe');
    made.setAttribute('sandbox', 'allow-scripts');
    made.className = 'drawing-frame';
    made.title = options.title;
    made.tabIndex = -1;
    made.setAttribute('aria-hidden', 'true');
    made.addEventListener('load', () => {
      const channel = new MessageChannel();
      port = channel.port1;
      port.onmessage = receive;
      // The frame has an opaque origin, so the target is `*`; only the file we loaded can be listening.
      made.contentWindow?.postMessage(0, '*', [channel.port2]);
    });
    made.src = options.address;
    document.body.append(made);
    frame = made;
    after(LOADING_MS, abort);
  };

  const next = () => {
    if (current) return;
    if (tasks.length === 0) {
      if (frame) after(options.idleMs, close);
      return;
    }
    if (!frame) open();
    if (!isReady) return;
    current = tasks.shift();
    lastId += 1;
    after(options.timeoutMs * (current?.isRetry ? RETRY_FACTOR : 1), abort);
    port?.postMessage({ ...current?.message, id: lastId });
  };

  return {
    request: (message) =>
      new Promise((done) => {
        tasks.push({ message, done });
        next();
      }),
  };
}
