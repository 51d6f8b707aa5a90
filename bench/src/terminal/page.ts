/**
 * Runs in the browser for the terminal benchmark: passes a shell's output from a WebSocket to the terminal library,
 * or only counts it. Records when a line was sent and when the marker of the next prompt arrived.
 */
import { Unicode11Addon } from '@xterm/addon-unicode11';
import { WebglAddon } from '@xterm/addon-webgl';
import { Terminal } from '@xterm/xterm';

type Take = (data: Uint8Array) => void;

export interface PlainRun {
  readonly ms: number;
  readonly bytes: number;
}

const MARK = [...'\u001b]52;'].map((letter) => letter.charCodeAt(0));

function drawing(size: { cols: number; rows: number }, marked: () => void): Take {
  const host = document.createElement('div');
  document.body.replaceChildren(host);
  const terminal = new Terminal({
    ...size,
    allowProposedApi: true,
    scrollback: 10_000,
    fontSize: 13,
    lineHeight: 1.2,
    cursorBlink: false,
  });
  terminal.loadAddon(new Unicode11Addon());
  terminal.unicode.activeVersion = '11';
  terminal.parser.registerOscHandler(52, () => {
    marked();
    return true;
  });
  terminal.open(host);
  try {
    terminal.loadAddon(new WebglAddon());
  } catch (error) {
    console.info('rendered without WebGL', error);
  }
  return (data) => terminal.write(data);
}

/** Only searches for the marker, which may be split between two pieces. */
function counting(marked: () => void): Take {
  let found = 0;
  return (data) => {
    for (const unit of data) {
      found = unit === MARK[found] ? found + 1 : Number(unit === MARK[0]);
      if (found < MARK.length) continue;
      found = 0;
      marked();
    }
  };
}

async function open(kind: 'drawn' | 'counted', size: { cols: number; rows: number }) {
  let bytes = 0;
  let notify: () => void = () => undefined;
  const marked = () => notify();
  const next = () =>
    new Promise<void>((resolve) => {
      notify = resolve;
    });
  const take = kind === 'drawn' ? drawing(size, marked) : counting(marked);
  const socket = new WebSocket(location.href.replace('http', 'ws'));
  socket.binaryType = 'arraybuffer';
  const ready = next();
  socket.addEventListener('message', ({ data }) => {
    const piece = new Uint8Array(data as ArrayBuffer);
    bytes += piece.length;
    take(piece);
  });
  await ready;
  return {
    async run(line: string): Promise<PlainRun> {
      const done = next();
      bytes = 0;
      const since = performance.now();
      socket.send(`${line}\r`);
      await done;
      return { ms: performance.now() - since, bytes };
    },
    close: () => socket.close(),
  };
}

let opened: Awaited<ReturnType<typeof open>> | undefined;

const plainTerminal = {
  async open(kind: 'drawn' | 'counted', cols: number, rows: number): Promise<void> {
    opened = await open(kind, { cols, rows });
  },
  run(line: string): Promise<PlainRun> {
    if (!opened) throw new Error('not open');
    return opened.run(line);
  },
};

declare global {
  interface Window {
    plainTerminal: typeof plainTerminal;
  }
}

window.plainTerminal = plainTerminal;
