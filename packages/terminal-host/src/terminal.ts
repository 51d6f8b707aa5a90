/**
 * One terminal: a program in its PTY, its screen, and the attached pages. Keeps all three in sync: every page gets a
 * screen and then exactly the output after it. Uses no sockets.
 */
import { identify, isRunning } from '@tugdeck/local/process-identity';
import type { Timings } from '@tugdeck/local/timings';
import {
  TERMINAL_LIMITS,
  type TerminalColors,
  type TerminalInfo,
  type TerminalSize,
} from '@tugdeck/protocol/terminal/terminal';
import type { TerminalLaunch, TerminalMessage } from '@tugdeck/protocol/terminal/terminal-link';
import { Attachment, type AttachmentOut } from './attachment.ts';
import { arePagesFull, mustPause } from './flow-gate.ts';
import { type PtyProcess, startPty } from './pty-process.ts';
import { Screen } from './screen.ts';

export interface TerminalOptions {
  readonly info: Omit<TerminalInfo, 'state' | 'pid' | 'startedAt'>;
  readonly launch: TerminalLaunch;
  readonly timings: Pick<Timings, 'terminateMs' | 'terminalStallMs'>;
  readonly now: () => number;
  /** Called when its name, title, size or state changes. */
  readonly changed: () => void;
}

/**
 * Resets a screen that an exited program left behind to a usable state: main screen, no mouse reports, plain text.
 * Leaving the alternate screen restores the saved cursor, so on the main screen the cursor is saved first; otherwise
 * it would jump to the top.
 */
const FRESH =
  '\u001b7\u001b[?1049l\u001b[?9;1000;1002;1003;1004;1005;1006;1015;1016;2004l\u001b[!p\u001b[0m\r\n';
const ENCODER = new TextEncoder();
/** Titles within this time are published once. */
const TITLE_MS = 50;
/**
 * In a flood, output is sent in pieces of this size or after this time, because every piece has a fixed cost in each
 * process.
 */
const GATHER_BYTES = 32 * 1024;
const GATHER_MS = 4;
/** Maximum unread input before query answers are dropped. */
const MAX_ANSWER_BYTES = 16 * 1024;

export class Terminal {
  readonly #options: TerminalOptions;
  readonly #screen: Screen;
  readonly #attachments = new Set<Attachment>();
  #info: TerminalInfo;
  #pty: PtyProcess | undefined;
  #isPaused = false;
  #gathered: Uint8Array[] = [];
  #gatheredBytes = 0;
  #gatherTimer: NodeJS.Timeout | undefined;
  #flushedAt = 0;
  #stallTimer: NodeJS.Timeout | undefined;
  #titleTimer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: TerminalOptions) {
    this.#options = options;
    this.#info = { ...options.info, state: { type: 'running' }, startedAt: options.now() };
    this.#screen = new Screen(this.#size, {
      answer: (text) => this.#answer(ENCODER.encode(text)),
      title: (title) => this.#retitle(title),
    });
    this.#start(options.launch);
  }

  get info(): TerminalInfo {
    return this.#info;
  }

  get isRunning(): boolean {
    return this.#info.state.type === 'running';
  }

  /** Input bytes that the program has not read. */
  get waitingInput(): number {
    return this.#pty?.waiting ?? 0;
  }

  get attachments(): number {
    return this.#attachments.size;
  }

  rename(name: string | null): void {
    const { name: _, ...rest } = this.#info;
    this.#info = name === null ? rest : { ...rest, name };
    this.#changed();
  }

  /** Starts a new program on the same screen, below its contents. */
  restart(launch: TerminalLaunch): void {
    if (this.isRunning || this.#isClosed) return;
    this.#publish(ENCODER.encode(FRESH));
    const { title: _, ...rest } = this.#info;
    this.#info = { ...rest, state: { type: 'running' }, startedAt: this.#options.now() };
    this.#start(launch);
    this.#changed();
  }

  attach(out: AttachmentOut, withHistory: boolean, colors: TerminalColors | undefined): Attachment {
    const attachment = new Attachment(out, withHistory, () => performance.now());
    this.#attachments.add(attachment);
    if (colors) this.#screen.colors = colors;
    this.#show(attachment);
    return attachment;
  }

  /** Sends the page a new screen: with scrollback, or in other colors. */
  refresh(attachment: Attachment, withHistory: boolean, colors: TerminalColors | undefined): void {
    attachment.withHistory = withHistory;
    if (colors) this.#screen.colors = colors;
    // A page that is behind gets it after catching up.
    if (!attachment.isBehind) this.#show(attachment);
  }

  detach(attachment: Attachment): void {
    this.#attachments.delete(attachment);
    this.#regulate();
  }

  drawn(attachment: Attachment, bytes: number, waitedMs?: number): void {
    attachment.drawn(bytes, waitedMs);
    if (attachment.hasCaughtUp) this.#show(attachment);
    this.#regulate();
  }

  /** Returns false if the program reads too little and the queue is full. */
  input(data: Uint8Array): boolean {
    if (!this.#pty) return true;
    if (this.#pty.waiting + data.length > TERMINAL_LIMITS.waitingInput) return false;
    this.#pty.write(data);
    return true;
  }

  resize(size: TerminalSize): void {
    if (size.cols === this.#info.cols && size.rows === this.#info.rows) return;
    // Output for the old size must be on the screen before it changes, here and in every page.
    this.#flush();
    this.#screen.resize(size);
    this.#pty?.resize(size);
    for (const attachment of this.#attachments) attachment.resize(size);
    this.#change(size);
  }

  /** Hangs up the terminal, and kills processes that ignore this after a delay. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#stallTimer);
    clearTimeout(this.#titleTimer);
    this.#send({ type: 'gone' });
    this.#attachments.clear();
    const leader = this.#pty ? identify(this.#pty.pid) : undefined;
    this.#pty?.hangUp();
    this.#pty = undefined;
    this.#screen.dispose();
    if (!leader) return;
    setTimeout(() => {
      if (isRunning(leader)) process.kill(leader.pid, 'SIGKILL');
    }, this.#options.timings.terminateMs);
  }

  get #size(): TerminalSize {
    return { cols: this.#info.cols, rows: this.#info.rows };
  }

  #start(launch: TerminalLaunch): void {
    const pty = startPty(launch, this.#size, {
      data: (data) => this.#gather(data),
      exit: (code, signal) => {
        if (this.#pty === pty) this.#exited(code, signal);
      },
    });
    this.#pty = pty;
    this.#isPaused = false;
    this.#info = { ...this.#info, pid: pty.pid };
  }

  #exited(code: number, signal: number | undefined): void {
    this.#flush();
    this.#pty = undefined;
    const { pid: _, ...rest } = this.#info;
    this.#info = { ...rest, state: { type: 'exited', code, ...(signal === undefined ? {} : { signal }) } };
    this.#changed();
  }

  /**
   * The kernel returns 4 KB at a time. Output after a pause is sent at once, with everything read in this event loop
   * turn.
   */
  #gather(data: Uint8Array): void {
    if (this.#isClosed) return;
    this.#gathered.push(data);
    this.#gatheredBytes += data.length;
    if (this.#gatheredBytes >= GATHER_BYTES) this.#flush();
    else if (this.#gathered.length > 1) return;
    else if (performance.now() - this.#flushedAt < GATHER_MS)
      this.#gatherTimer = setTimeout(() => this.#flush(), GATHER_MS);
    else setImmediate(() => this.#flush());
  }

  #flush(): void {
    clearTimeout(this.#gatherTimer);
    if (this.#gathered.length === 0) return;
    const [only] = this.#gathered;
    const data = this.#gathered.length === 1 && only ? only : Buffer.concat(this.#gathered);
    this.#gathered = [];
    this.#gatheredBytes = 0;
    this.#flushedAt = performance.now();
    if (!this.#isClosed) this.#publish(data);
  }

  #publish(data: Uint8Array): void {
    this.#screen.write(data, () => this.#regulate());
    for (const attachment of this.#attachments) attachment.deliver(data);
    this.#regulate();
  }

  #show(attachment: Attachment): void {
    this.#flush();
    const awaited = attachment.awaitScreen();
    const { withHistory } = attachment;
    this.#screen.settled(() => {
      if (this.#isClosed || !this.#attachments.has(attachment) || !attachment.awaits(awaited)) return;
      attachment.show(ENCODER.encode(this.#screen.serialize(withHistory)), this.#screen.size);
    });
  }

  #regulate(): void {
    if (!this.#pty || this.#isClosed) return;
    const pages = [...this.#attachments].map(({ flow }) => flow).filter((flow) => flow !== undefined);
    const mustWait = mustPause({ isPaused: this.#isPaused, pending: this.#screen.pending, pages });
    if (mustWait !== this.#isPaused) {
      this.#isPaused = mustWait;
      if (mustWait) this.#pty.pause();
      else this.#pty.resume();
    }
    if (!mustWait) {
      clearTimeout(this.#stallTimer);
      this.#stallTimer = undefined;
    } else if (arePagesFull(pages, true)) this.#watchStall();
  }

  /** A suspended page must not pause the program. */
  #watchStall(): void {
    this.#stallTimer ??= setTimeout(() => {
      this.#stallTimer = undefined;
      const since = performance.now() - this.#options.timings.terminalStallMs;
      for (const attachment of this.#attachments) {
        if (attachment.lastDrawn <= since) attachment.fallBehind();
      }
      this.#regulate();
    }, this.#options.timings.terminalStallMs);
  }

  /** Drops answers for a program that keeps querying and reads no answers. */
  #answer(data: Uint8Array): void {
    if (this.#pty && this.#pty.waiting + data.length <= MAX_ANSWER_BYTES) this.#pty.write(data);
  }

  /** A program may change its title with every line, and these messages have no flow control. */
  #retitle(title: string): void {
    if (title === (this.#info.title ?? '')) return;
    this.#info = { ...this.#info, title };
    this.#titleTimer ??= setTimeout(() => {
      this.#titleTimer = undefined;
      if (!this.#isClosed) this.#changed();
    }, TITLE_MS);
  }

  #change(fields: Partial<TerminalInfo>): void {
    this.#info = { ...this.#info, ...fields };
    this.#changed();
  }

  #changed(): void {
    this.#send({ type: 'terminal', terminal: this.#info });
    this.#options.changed();
  }

  #send(message: TerminalMessage): void {
    for (const attachment of this.#attachments) attachment.send(message);
  }
}
