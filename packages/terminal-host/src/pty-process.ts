/**
 * One program in a pseudo-terminal, as bytes, read to its very end. Owns what is peculiar about node-pty and the stream
 * below it, which both lose what a program wrote just before it ended: the stream takes the first short read after a
 * hang-up for the last one, and node-pty waits 200 ms for a reader that may be busy or have paused.
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
  /** Input that the program has not taken yet, in bytes. */
  readonly waiting: number;
  write(data: Uint8Array): void;
  resize(size: TerminalSize): void;
  pause(): void;
  resume(): void;
  /** Closes the terminal: the kernel tells its session and what runs in front. */
  hangUp(): void;
}

/** What of node-pty's own is needed here and not promised; its version is fixed. */
interface Inside {
  readonly _socket: ReadStream;
  readonly fd: number;
  readonly ptsName?: string;
  destroy(): void;
}

/** After its program's end a terminal that gives nothing for so long has given all. */
const LAST_WORDS_MS = 20;

export function startPty(launch: TerminalLaunch, size: TerminalSize, events: PtyEvents): PtyProcess {
  const child = pty.spawn(launch.file, launch.args, {
    name: launch.environment.TERM ?? 'xterm-256color',
    cwd: launch.directory,
    env: launch.environment,
    cols: size.cols,
    rows: size.rows,
    // Bytes: a character torn between two reads is put together by the screen.
    encoding: null,
  });
  const inside = child as unknown as Inside;
  const socket = inside._socket;
  const keepOpen = holdOpen(inside.ptsName);
  const destroyNow = readToItsEnd(socket);
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

/** While somebody has its other side open, a terminal is not hung up and can be read at leisure. */
function holdOpen(ptsName: string | undefined): { release(): void } {
  // It must not become the terminal of this process.
  let fd = ptsName === undefined ? undefined : openSync(ptsName, constants.O_RDWR | constants.O_NOCTTY);
  return {
    release() {
      if (fd !== undefined) closeSync(fd);
      fd = undefined;
    },
  };
}

/** node-pty's `destroy` of the socket, after its program's end, waits until nothing more comes. Gives the real one. */
function readToItsEnd(socket: ReadStream): () => void {
  const destroy = socket.destroy.bind(socket);
  let isLeaving = false;
  let heard = 0;
  const look = () => {
    const before = heard;
    setTimeout(() => {
      // A turn of the event loop that was busy before it could read says nothing: one whole turn is waited for.
      setImmediate(() => {
        if (socket.destroyed) return;
        if (heard === before && !socket.isPaused()) destroy();
        else look();
      });
    }, LAST_WORDS_MS);
  };
  socket.on('data', () => {
    heard += 1;
  });
  socket.destroy = (error) => {
    if (error) return destroy(error);
    if (!isLeaving) look();
    isLeaving = true;
    return socket;
  };
  return () => void destroy();
}
