/** The real reader program with a temporary home, used like the server does. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createLineReader } from '@tugdeck/local/lines';
import {
  type ExternalSession,
  type ReaderMessage,
  type ReaderRequestInput,
  type ReaderState,
  readerMessageSchema,
} from '@tugdeck/local/reader-link';
import type { SearchAnswer, SearchInput } from '@tugdeck/protocol/search/search';
import { type HostMessage, hostMessageSchema } from '@tugdeck/protocol/wire/host-link';
import { build } from 'rolldown';

const ENTRY = fileURLToPath(new URL('../src/main.ts', import.meta.url));
/** Inside the repository, so that its packages are found. */
const PLACE = fileURLToPath(new URL('../../../node_modules/.cache/', import.meta.url));

export async function bundleReader(): Promise<string> {
  mkdirSync(PLACE, { recursive: true });
  const file = join(mkdtempSync(join(PLACE, 'reader-')), 'reader.mjs');
  await build({
    input: ENTRY,
    platform: 'node',
    logLevel: 'silent',
    external: ['libsql', '@parcel/watcher'],
    output: { file, format: 'esm' },
  });
  return file;
}

export class ReaderPlace {
  readonly root = mkdtempSync(join(tmpdir(), 'tdr-'));
  readonly home = join(this.root, 'home');
  readonly data = join(this.root, 'data');
  readonly #program: string;
  readonly #readers: TestReader[] = [];

  constructor(program: string) {
    this.#program = program;
    mkdirSync(this.home);
  }

  transcript(session: string, project = 'project'): string {
    return join(this.home, '.claude/projects', `-${project}`, `${session}.jsonl`);
  }

  write(file: string, lines: readonly object[]): void {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  }

  append(file: string, lines: readonly object[]): void {
    appendFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  }

  start(): TestReader {
    const reader = new TestReader(this.#program, this.data, this.home);
    this.#readers.push(reader);
    return reader;
  }

  async clear(): Promise<void> {
    for (const reader of this.#readers) await reader.kill();
    rmSync(this.root, { recursive: true, force: true });
  }
}

export class TestReader {
  readonly messages: ReaderMessage[] = [];
  readonly rows = new Map<string, ExternalSession>();
  state: ReaderState | undefined;
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #hostMessages = new Map<number, HostMessage[]>();
  #waiters: (() => void)[] = [];
  errors = '';

  constructor(program: string, dataDirectory: string, home: string) {
    this.#child = spawn(process.execPath, [program], { env: { HOME: home, PATH: process.env.PATH } });
    const lines = createLineReader(16 * 1024 * 1024, {
      line: (text) => this.#take(readerMessageSchema.parse(JSON.parse(text))),
      overlong: (bytes) => {
        throw new Error(`a line of ${bytes} bytes`);
      },
    });
    this.#child.stdout.on('data', (chunk: Buffer) => lines.push(chunk));
    this.#child.stderr.on('data', (chunk: Buffer) => {
      this.errors += chunk.toString('utf8');
    });
    this.send({ type: 'start', dataDirectory, environment: { HOME: home } });
  }

  send(request: ReaderRequestInput): void {
    this.#child.stdin.write(`${JSON.stringify(request)}\n`);
  }

  async until<T>(what: string, check: () => T | undefined | false): Promise<T> {
    const end = performance.now() + 20_000;
    for (;;) {
      const found = check();
      if (found !== undefined && found !== false) return found;
      if (performance.now() > end) throw new Error(`timed out waiting for ${what}\n${this.errors}`);
      await new Promise<void>((resolve) => {
        this.#waiters.push(resolve);
        setTimeout(resolve, 1_000).unref();
      });
    }
  }

  indexed(files: number): Promise<ReaderState> {
    return this.until(`${files} indexed files`, () => {
      const { state } = this;
      return state?.listed && state.files === files && state.unread === 0 ? state : undefined;
    });
  }

  async search(search: SearchInput): Promise<SearchAnswer> {
    const id = randomUUID();
    this.send({ type: 'search', id, search });
    return this.until(`an answer to ${search.query}`, () => {
      const found = this.messages.find((message) => message.type === 'found' && message.id === id);
      return found?.type === 'found' ? found.answer : undefined;
    });
  }

  /** All messages of the view. */
  messagesOf(view: number): HostMessage[] {
    return this.#hostMessages.get(view) ?? [];
  }

  async kill(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    this.#child.kill('SIGKILL');
    await once(this.#child, 'close');
  }

  async end(): Promise<void> {
    this.#child.stdin.end();
    await once(this.#child, 'close');
  }

  #take(message: ReaderMessage): void {
    this.messages.push(message);
    if (message.type === 'sessions') {
      for (const row of message.sessions) this.rows.set(row.id, row);
      for (const id of message.gone) this.rows.delete(id);
    } else if (message.type === 'state') this.state = message.state;
    else if (message.type === 'told') {
      const lines = message.lines.map((line) => hostMessageSchema.parse(JSON.parse(line)));
      this.#hostMessages.set(message.view, [...this.messagesOf(message.view), ...lines]);
    }
    for (const wake of this.#waiters.splice(0)) wake();
  }
}

let count = 0;

/** Lines as the agent writes them: a prompt and its consequences. */
export function exchange(
  session: string,
  {
    prompt,
    answer,
    parent = null,
    cwd = '/work/project',
    command,
    output = '',
  }: {
    prompt: string;
    answer: string;
    parent?: string | null;
    cwd?: string;
    command?: string;
    output?: string;
  },
): { lines: object[]; last: string } {
  const base = { isSidechain: false, cwd, sessionId: session, version: '2.1.325' };
  const next = () => {
    count += 1;
    const uuid = `00000000-0000-4000-8000-${String(count).padStart(12, '0')}`;
    return { uuid, timestamp: new Date(1_790_000_000_000 + count * 1000).toISOString() };
  };
  const lines: object[] = [];
  let last = parent;
  const put = (line: object): void => {
    const own = next();
    lines.push({ parentUuid: last, ...base, ...own, ...line });
    last = own.uuid;
  };
  put({ type: 'user', message: { role: 'user', content: prompt } });
  const id = `msg_${count}`;
  const addMessage = (block: object, stop_reason: string, message = id): void =>
    put({
      type: 'assistant',
      message: { id: message, role: 'assistant', model: 'm', content: [block], stop_reason },
    });
  if (command !== undefined) {
    const tool = `toolu_${count}`;
    addMessage({ type: 'tool_use', id: tool, name: 'Bash', input: { command } }, 'tool_use');
    const content = [{ type: 'tool_result', tool_use_id: tool, content: output }];
    put({ type: 'user', message: { role: 'user', content }, toolUseResult: { stdout: output, stderr: '' } });
  }
  addMessage({ type: 'text', text: answer }, 'end_turn', `${id}b`);
  return { lines, last: last ?? '' };
}
