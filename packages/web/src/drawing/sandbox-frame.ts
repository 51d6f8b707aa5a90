/**
 * One sandboxed frame and the port to it: opened when something is first asked, closed when nothing was asked for a
 * while, thrown away when it does not answer in time (a source can keep a parser busy for ever). One message at a
 * time, in order. A machine with much else to do is not the source's fault: what was not answered is asked once more,
 * after all others and with more time. What comes back is foreign: callers parse it. Never throws.
 */
export interface SandboxFrame {
  /** The answer as it came, or undefined when there was none in time. */
  request(message: object): Promise<unknown>;
}

export interface SandboxFrameOptions {
  readonly address: string;
  readonly title: string;
  /** For one answer. */
  readonly timeoutMs: number;
  readonly idleMs: number;
}

/** For the frame and its library, in which nothing foreign runs yet. */
const LOADING_MS = 60_000;
/** How many times the patience the second asking has. */
const AGAIN = 3;

interface Task {
  readonly message: object;
  readonly done: (answer: unknown) => void;
  readonly isAgain?: true;
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
    if (current && !current.isAgain) {
      tasks.push({ ...current, isAgain: true });
      current = undefined;
      next();
      return;
    }
    // What was asked meanwhile is not to blame; the first in line is, also if the library never came.
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
      // It has no origin that could be named; only the file we loaded into it can be listening.
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
    after(options.timeoutMs * (current?.isAgain ? AGAIN : 1), abort);
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
