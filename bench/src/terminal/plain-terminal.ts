/** The reference for terminals, a shell without our stack: node-pty, a WebSocket, the terminal library in a page. */
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import pty from '@lydell/node-pty';
import { launchBrowser, newPage, type TestPage } from '@tugdeck/testkit/browser';
import { build } from 'vite';
import { WebSocketServer } from 'ws';
import type { PlainRun } from './page.ts';

export interface PlainOptions {
  readonly size: { readonly cols: number; readonly rows: number };
  readonly directory: string;
  readonly environment: Readonly<Record<string, string>>;
}

export class PlainTerminal {
  readonly #opened: TestPage;
  readonly #stop: () => Promise<void>;

  private constructor(opened: TestPage, stop: () => Promise<void>) {
    this.#opened = opened;
    this.#stop = stop;
  }

  static async open(
    kind: 'drawn' | 'counted',
    { size, directory, environment }: PlainOptions,
  ): Promise<PlainTerminal> {
    const script = await pageScript();
    const css = await readFile(
      fileURLToPath(new URL('../../../node_modules/@xterm/xterm/css/xterm.css', import.meta.url)),
      'utf8',
    );
    const server = createServer((_, response) => {
      response.setHeader('content-type', 'text/html; charset=utf-8');
      response.end(
        `<!doctype html><meta charset="utf-8"><style>${css}</style><body><script>${script}</script>`,
      );
    });
    new WebSocketServer({ server }).on('connection', (socket) => {
      const shell = pty.spawn('bash', ['--rcfile', `${directory}/prompt.sh`, '-i'], {
        name: 'xterm-256color',
        cwd: directory,
        env: { ...environment, TERM: 'xterm-256color' },
        cols: size.cols,
        rows: size.rows,
        encoding: null,
      });
      shell.onData((data) => socket.send(data as unknown as Uint8Array));
      socket.on('message', (data) => shell.write(String(data)));
      socket.on('close', () => shell.kill());
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const opened = await newPage(await launchBrowser());
    await opened.page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    await opened.page.evaluate(([what, cols, rows]) => window.plainTerminal.open(what, cols, rows), [
      kind,
      size.cols,
      size.rows,
    ] as const);
    return new PlainTerminal(opened, async () => {
      await opened.close();
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    });
  }

  /** From the line's Enter to the next prompt. */
  run(line: string): Promise<PlainRun> {
    return this.#opened.page.evaluate((text) => window.plainTerminal.run(text), line);
  }

  close(): Promise<void> {
    return this.#stop();
  }
}

async function pageScript(): Promise<string> {
  const entry = fileURLToPath(new URL('./page.ts', import.meta.url));
  const result = await build({
    configFile: false,
    logLevel: 'error',
    define: { 'process.env.NODE_ENV': '"production"' },
    build: { write: false, lib: { entry, formats: ['iife'], name: 'plain' } },
  });
  const [output] = Array.isArray(result) ? result : [result];
  if (output === undefined || !('output' in output)) throw new Error('the bundler gave no output');
  return output.output.map((part) => ('code' in part ? part.code : '')).join('\n');
}
