import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import { afterAll, describe, expect, test } from 'vitest';
import { DemoAgent } from '../src/agent.ts';
import { picture } from '../src/scenes/picture.ts';

interface Message {
  readonly id?: number | null;
  readonly method?: string;
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly code: number; readonly message: string };
  readonly params?: { readonly update?: Record<string, unknown>; readonly toolCall?: unknown };
}

const directories: string[] = [];
afterAll(() => {
  for (const directory of directories) rmSync(directory, { recursive: true, force: true });
});

function emptyDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'tugdeck-demo-'));
  directories.push(directory);
  return directory;
}

/** A client that can only read updates and answer permission requests with the first option. */
class PlainClient {
  readonly directory = emptyDirectory();
  readonly received: Message[] = [];
  readonly #input = new PassThrough();
  readonly #waiting = new Map<number, (message: Message) => void>();
  #ids = 0;

  constructor() {
    const output = new PassThrough();
    new DemoAgent({ input: this.#input, output, pace: 0 });
    createInterface({ input: output }).on('line', (line) => this.#take(JSON.parse(line) as Message));
  }

  raw(line: string): void {
    this.#input.write(`${line}\n`);
  }

  call(method: string, params: object): Promise<Message> {
    const id = ++this.#ids;
    const answered = new Promise<Message>((resolve) => this.#waiting.set(id, resolve));
    this.raw(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
    return answered;
  }

  async begin(): Promise<string> {
    await this.call('initialize', { protocolVersion: 1 });
    const { result } = await this.call('session/new', { cwd: this.directory, mcpServers: [] });
    return String(result?.sessionId);
  }

  prompt(sessionId: string, text: string): Promise<Message> {
    return this.call('session/prompt', { sessionId, prompt: [{ type: 'text', text }] });
  }

  get updates(): Record<string, unknown>[] {
    return this.received.flatMap(({ params }) => (params?.update ? [params.update] : []));
  }

  #take(message: Message): void {
    this.received.push(message);
    if (message.method === 'session/request_permission') {
      const outcome = { outcome: 'selected', optionId: message.params?.toolCall ? 'yes' : 'no' };
      this.raw(JSON.stringify({ jsonrpc: '2.0', id: message.id, result: { outcome } }));
    } else if (message.method === undefined && typeof message.id === 'number') {
      this.#waiting.get(message.id)?.(message);
    }
  }
}

describe('with a client without optional capabilities', () => {
  test('A30 edits files, runs commands and uses subagents', async () => {
    const client = new PlainClient();
    const session = await client.begin();
    await client.prompt(session, 'edit a.txt add hello');
    expect(readFileSync(join(client.directory, 'a.txt'), 'utf8')).toBe('hello\n');
    await client.prompt(session, 'run echo out');
    expect(client.updates).toContainEqual(
      expect.objectContaining({ content: [{ type: 'content', content: { type: 'text', text: 'out\n' } }] }),
    );
    await client.prompt(session, 'subagents');
    await client.prompt(session, 'ask');
    const methods = new Set(client.received.flatMap(({ method }) => method ?? []));
    expect(methods).toEqual(new Set(['session/update', 'session/request_permission']));
    const kinds = client.updates.map(({ sessionUpdate }) => sessionUpdate);
    expect(kinds).not.toContain('subagent_update');
    const open = new Set<unknown>();
    for (const { sessionUpdate, toolCallId, status } of client.updates) {
      if (sessionUpdate === 'tool_call') open.add(toolCallId);
      if (status === 'completed' || status === 'failed') open.delete(toolCallId);
    }
    expect(open.size).toBe(0);
  });

  test('A30 titles a session with the first line of its prompt', async () => {
    const client = new PlainClient();
    await client.prompt(await client.begin(), 'Explain how the parser handles unterminated strings\nplease');
    await client.prompt(await client.begin(), 'Say hello');
    const titles = client.updates.flatMap(({ title }) => (typeof title === 'string' ? [title] : []));
    expect(titles).toEqual(['Explain how the parser handles unterminated strings', 'Say hello']);
  });

  test('A30 answers invalid calls with errors of the protocol', async () => {
    const client = new PlainClient();
    const session = await client.begin();
    expect((await client.call('session/teleport', {})).error?.code).toBe(-32601);
    expect((await client.prompt('nobody', 'hi')).error?.code).toBe(-32002);
    expect((await client.call('session/new', { cwd: 'relative' })).error?.code).toBe(-32602);
    expect((await client.call('session/set_mode', { sessionId: session, modeId: 'x' })).error?.code).toBe(
      -32602,
    );
    const first = client.prompt(session, 'flood 100000');
    expect((await client.prompt(session, 'second')).error?.code).toBe(-32600);
    client.raw(JSON.stringify({ jsonrpc: '2.0', method: 'session/cancel', params: { sessionId: session } }));
    expect((await first).result?.stopReason).toBe('cancelled');
    client.raw('this is not JSON');
    await client.prompt(session, 'help');
    expect(client.received).toContainEqual(expect.objectContaining({ id: null, error: expect.anything() }));
  });

  test('A30 creates a valid PNG', () => {
    const bytes = Buffer.from(picture(), 'base64');
    expect(bytes.subarray(1, 4).toString('latin1')).toBe('PNG');
    expect(bytes.length).toBeLessThan(40_000);
  });
});
