/**
 * Reader program: all heavy file work, in a separate process, so that the server never waits for it. Reads JSON lines
 * from stdin, writes to stdout, and exits when stdin closes. Can be killed at any time, because its state is in
 * files.
 */

import { rmSync } from 'node:fs';
import { setPriority } from 'node:os';
import { join } from 'node:path';
import { findAgent } from '@tugdeck/agents/catalog';
import { HISTORIES } from '@tugdeck/drivers/known-histories';
import { storeText } from '@tugdeck/journal/blobs';
import { spill } from '@tugdeck/journal/spill';
import { type DataDirectory, dataDirectory, makePrivate } from '@tugdeck/local/data-directory';
import { createLineReader } from '@tugdeck/local/lines';
import { type Log, openLog } from '@tugdeck/local/log';
import { type ReaderMessage, type ReaderRequest, readerRequestSchema } from '@tugdeck/local/reader-link';
import { parseJson } from '@tugdeck/protocol/parse-json';
import { CodedError, reportOf } from '@tugdeck/protocol/wire/errors';
import { FileView } from './file-view.ts';
import { openIndex } from './index-database.ts';
import { Library } from './library.ts';
import { Searcher } from './search.ts';
import { Views } from './views.ts';

/** Lower priority: server and agents come first. */
setPriority(5);

type Start = Extract<ReaderRequest, { type: 'start' }>;

const MAX_LINE = 8 * 1024 * 1024;
const STATE_MS = 500;

interface Services {
  handle(request: ReaderRequest): void;
  stop(): Promise<void>;
}

function createServices({ dataDirectory: root, environment, logLevel }: Start): Services {
  const data = dataDirectory(root);
  makePrivate(root);
  const log = openLog({ file: join(data.logs, 'reader.log'), name: 'reader', level: logLevel ?? 'info' });
  // Blobs that an earlier reader created for its pages.
  rmSync(join(root, 'cache', 'foreign'), { recursive: true, force: true });
  const database = openIndex(data.search);
  const library = new Library({
    data,
    environment,
    sources: HISTORIES,
    database,
    log,
    send,
    changed: (row) => views.changed(row),
  });
  const views = new Views({
    open: (row) => openView(library, data, row),
    isExternallyActive: (row) => {
      const file = library.files.ofRow(row);
      return file !== undefined && library.isExternallyActive(file);
    },
    send: (view, lines) => send({ type: 'told', view, lines: [...lines] }),
  });
  const searcher = new Searcher({
    database,
    files: library.files,
    data,
    sourceOf: (agent) => library.sourceOf(agent),
    isShown: (file) => library.isShown(file),
    live: library.live,
    unread: () => library.state().unread,
    now: Date.now,
  });
  library.start();
  const stopTelling = publishState(library);
  return {
    handle: (request) => handle(request, { library, views, searcher, log }),
    async stop() {
      stopTelling();
      views.stop();
      await library.stop();
      database.close();
    },
  };
}

function handle(
  request: ReaderRequest,
  { library, views, searcher, log }: { library: Library; views: Views; searcher: Searcher; log: Log },
): void {
  switch (request.type) {
    case 'start':
      return;
    case 'own':
      library.updateOwn(request.sessions);
      return;
    case 'view.open':
      views.open(request.view, request.session);
      return;
    case 'view.ask':
      views.request(request.view, request.request);
      return;
    case 'view.close':
      views.close(request.view);
      return;
    case 'held': {
      const file = library.files.ofRow(request.session);
      send({
        type: 'held',
        id: request.id,
        elsewhere: file !== undefined && library.isExternallyActiveNow(file),
      });
      return;
    }
    case 'search':
      try {
        send({ type: 'found', id: request.id, answer: searcher.search(request.search) });
      } catch (error) {
        log.error('search', { error });
        const { code, message } = reportOf(error);
        send({ type: 'failed', id: request.id, code, message });
      }
  }
}

function openView(library: Library, data: DataDirectory, row: string): FileView {
  const file = library.files.ofRow(row);
  const source = file && library.sourceOf(file.agent);
  if (!file || file.own || !source) throw new CodedError('SESSION_NOT_FOUND');
  const { agent, session, facts } = file;
  const blobs = data.foreign(row);
  return new FileView({
    source,
    file: file.path,
    facts: {
      agent,
      agentLabel: findAgent(agent)?.label ?? agent,
      agentSession: session,
      ...(facts.directory === undefined ? {} : { directory: facts.directory }),
    },
    spill: (body) => spill(body, (text) => storeText(blobs, text, { flush: false })),
  });
}

/** Sends the progress when it changes. */
function publishState(library: Library): () => void {
  let last = '';
  const timer = setInterval(() => {
    const state = library.state();
    const { memory: _, ...rest } = state;
    const text = JSON.stringify(rest);
    if (text === last) return;
    last = text;
    send({ type: 'state', state });
  }, STATE_MS);
  return () => clearInterval(timer);
}

function send(message: ReaderMessage): void {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}

function main(): void {
  let room: Services | undefined;
  const lines = createLineReader(MAX_LINE, {
    line(text) {
      const request = readerRequestSchema.parse(parseJson(text));
      if (request.type === 'start') room ??= createServices(request);
      else room?.handle(request);
    },
    overlong: (bytes) => process.stderr.write(`a line of ${bytes} bytes was skipped\n`),
  });
  process.stdin.on('data', (chunk: Buffer) => lines.push(chunk));
  process.stdin.on('end', () => {
    lines.end();
    void Promise.resolve(room?.stop()).finally(() => process.exit(0));
  });
  // The server is gone.
  process.stdout.on('error', () => process.exit(0));
}

main();
