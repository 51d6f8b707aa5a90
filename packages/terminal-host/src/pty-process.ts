/**
 * One program in a pseudo-terminal, read as bytes to the very end. Works around node-pty and its stream, which both
 * lose a program's last output: the stream takes the first short read after a hang-up for the last one, and node-pty
 * destroys the stream after 200 ms even if the reader is busy or paused.
 */
import { closeSync, constants, openSync } from 'node:fs';
import type { ReadStream } from 'node:tty';
import pty from '@lydell/node-pty';
import type { TerminalSize } from '@tugdeck/protocol/terminal/terminal';
import type { TerminalLaunch } from '@tugdeck/protocol/terminal/terminal-link';
import { openPtyInput } from './pty-input.ts';

export interface PtyEvents {
  data(data: Uint8Array): void;
  exit(code: number, signal: number | undefined): void;
}

export interface PtyProcess {
  readonly pid: number;
  /** Queued input that the program has not read yet, in bytes. */
  readonly waiting: number;
  write(data: Uint8Array): void;
  resize(size: TerminalSize): void;
  pause(): void;
  resume(): void;
  /** Closes the terminal; the kernel sends SIGHUP to its session and foreground processes. */
  hangUp(): void;
}

/** Undocumented parts of node-pty that are needed here; its version is pinned. */
interface Inside {
  readonly _socket: ReadStream;
  readonly fd: number;
  readonly ptsName?: string;
  destroy(): void;
}

/** After the program exits, a terminal without output for this long is drained. */
const DRAIN_MS = 20;

export function startPty(launch: TerminalLaunch, size: TerminalSize, events: PtyEvents): PtyProcess {
  const child = pty.spawn(launch.file, launch.args, {
    name: launch.environment.TERM ?? 'xterm-256color',
    cwd: launch.directory,
    env: launch.environment,
    cols: size.cols,
    rows: size.rows,
    // Bytes: the screen joins characters that are split between two reads.
    encoding: null,
  });
  const inside = child as unknown as Inside;
  const socket = inside._socket;
  const keepOpen = holdOpen(inside.ptsName);
  const destroyNow = drainBeforeDestroy(socket);
  const input = openPtyInput(inside.fd);
  let isOver = false;
  socket.once('close', () => {
    input.close();
    keepOpen.release();
  });
  child.onData((data) => events.data(data as unknown as Uint8Array));
  child.onExit(({ exitCode, signal }) => {
    isOver = true;
    events.exit(exitCode, signal === 0 ? undefined : signal);
  });
  return {
    pid: child.pid,
    get waiting() {
      return input.waiting;
    },
    write: (data) => input.write(data),
    resize({ cols, rows }) {
      if (!isOver && !socket.destroyed) child.resize(cols, rows);
    },
    pause: () => void socket.pause(),
    resume: () => void socket.resume(),
    hangUp() {
      input.close();
      if (isOver) return;
      inside.destroy();
      destroyNow();
    },
  };
}

/** Keeps the other side of the PTY open, so that it is not hung up while we read. */
function holdOpen(ptsName: string | undefined): { release(): void } {
  // Must not become the controlling terminal of this process.
  let fd = ptsName === undefined ? undefined : openSync(ptsName, constants.O_RDWR | constants.O_NOCTTY);
  return {
    release() {
      if (fd !== undefined) closeSync(fd);
      fd = undefined;
    },
  };
}

/**
 * Delays node-pty's `destroy` of the socket after the program's exit until no more output arrives. Returns the real
 * `destroy`.
 */
function drainBeforeDestroy(socket: ReadStream): () => void {
  const destroy = socket.destroy.bind(socket);
  let isLeaving = false;
  let received = 0;
  const check = () => {
    const before = received;
    setTimeout(() => {
      // An event loop turn that was busy before it could read proves nothing, so wait for one full turn.
      setImmediate(() => {
        if (socket.destroyed) return;
        if (received === before && !socket.isPaused()) destroy();
        else check();
      });
    }, DRAIN_MS);
  };
  socket.on('data', () => {
    received += 1;
  });
  socket.destroy = (error) => {
    if (error) return destroy(error);
    if (!isLeaving) check();
    isLeaving = true;
    return socket;
  };
  return () => void destroy();
}
