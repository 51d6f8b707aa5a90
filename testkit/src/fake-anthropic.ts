// The scripted stand-in for the paid model: the Messages API on loopback, for real agents under test.
// It picks the script by the `SCN:keyword` marker of the last prompt and the step by the answers after it, so it
// survives retries, resumes and parallel subagents. Never reaches a network. Started by tests and benchmarks.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Outcome } from './answer-parts.ts';
import { writeAnswer, writeFailure } from './answer-stream.ts';
import { Gates, type ReachedOptions } from './gates.ts';
import {
  type CallKind,
  classify,
  findPrompt,
  type MessagesRequest,
  parseRequest,
  statedDirectory,
  statedPlanFile,
} from './messages-request.ts';
import { defaultScripts } from './scenarios.ts';
import { failure, resolveStep, type Script, type ScriptContext, text } from './script.ts';

export interface ModelCall {
  readonly kind: CallKind;
  /** The marker's keyword, also when no script of that name exists. */
  readonly keyword: string | undefined;
  readonly step: number;
  readonly attempt: number;
  /** The agent's own session id, and the subagent's id for calls made by one. */
  readonly sessionId: string | undefined;
  readonly agentId: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: MessagesRequest;
  outcome: Outcome | 'open';
}

export interface CallFacts {
  readonly kind?: CallKind;
  readonly keyword?: string;
  readonly step?: number;
  readonly attempt?: number;
  readonly outcome?: ModelCall['outcome'];
}

export interface FakeAnthropic {
  /** For ANTHROPIC_BASE_URL. */
  readonly url: string;
  /** Every model call so far, oldest first. */
  readonly requests: readonly ModelCall[];
  /** Method and path of everything that is not part of the API: should stay empty. */
  readonly strayRequests: readonly string[];
  /** Adds or replaces the script of a keyword; that of `unmarked` serves prompts without a marker. */
  script(keyword: string, script: Script): void;
  /** Lets one stream pass the hold, now or when it arrives. */
  release(name: string): void;
  /** Lets every stream pass the hold from now on. */
  open(name: string): void;
  /** Resolves when a stream has arrived at the hold. */
  reached(name: string, options?: ReachedOptions): Promise<void>;
  /** Resolves with the first call that has all of these facts, past or future. */
  called(facts: CallFacts, timeoutMs?: number): Promise<ModelCall>;
  close(): Promise<void>;
}

interface CallWatcher {
  readonly facts: CallFacts;
  readonly resolve: (call: ModelCall) => void;
}

const title = 'Scripted title';

function hasFacts(call: ModelCall, facts: CallFacts): boolean {
  return (Object.keys(facts) as (keyof CallFacts)[]).every((key) => call[key] === facts[key]);
}

function sideAnswer(kind: CallKind, request: MessagesRequest): string {
  if (kind === 'compaction') {
    return '<analysis>Scripted.</analysis>\n<summary>The user and the model exchanged scripted messages.</summary>';
  }
  if (kind === 'suggestion') return 'run the tests';
  if (kind === 'title') return request.output_config?.format ? JSON.stringify({ title }) : title;
  return 'Hi';
}

function echo(userText: string): string {
  const said = userText.replace(/SCN:[\w-]+/g, '').trim();
  return said === '' ? 'Understood.' : `You said: ${said.slice(0, 200)}`;
}

async function readBody(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString('utf8');
}

class FakeServer {
  readonly requests: ModelCall[] = [];
  readonly strayRequests: string[] = [];
  readonly scripts = new Map<string, Script>(Object.entries(defaultScripts));
  readonly gates = new Gates();
  readonly #attempts = new Map<string, number>();
  readonly #watchers = new Set<CallWatcher>();

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = (request.url ?? '/').split('?')[0] ?? '/';
    const body = await readBody(request);
    if (request.method === 'HEAD' && path === '/') {
      response.writeHead(200).end();
      return;
    }
    const isCount = path === '/v1/messages/count_tokens';
    if (request.method !== 'POST' || !(isCount || path === '/v1/messages')) {
      this.strayRequests.push(`${request.method} ${path}`);
      writeFailure(response, failure(404, { message: `nothing at ${path}` }));
      return;
    }
    const parsed = parseRequest(body);
    if (parsed === undefined) {
      writeFailure(response, failure(400, { message: 'not a Messages API request' }));
      return;
    }
    const call = this.#record(request, parsed, isCount ? 'count' : classify(parsed));
    call.outcome = await this.#reply(call, response);
    this.#tell(call);
  }

  watch(facts: CallFacts, timeoutMs: number): Promise<ModelCall> {
    const known = this.requests.find((call) => hasFacts(call, facts));
    if (known) return Promise.resolve(known);
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#watchers.delete(watcher);
        const seen = this.requests.map((call) => `${call.kind} ${call.keyword}/${call.step} ${call.outcome}`);
        reject(
          new Error(`no call with ${JSON.stringify(facts)} in ${timeoutMs} ms; seen: ${seen.join(', ')}`),
        );
      }, timeoutMs);
      timer.unref();
      const watcher: CallWatcher = {
        facts,
        resolve: (call) => {
          clearTimeout(timer);
          resolve(call);
        },
      };
      this.#watchers.add(watcher);
    });
  }

  #record(request: IncomingMessage, body: MessagesRequest, kind: CallKind): ModelCall {
    const headers: Record<string, string> = {};
    for (const [name, value] of Object.entries(request.headers)) headers[name] = String(value);
    const { keyword, step, index } = findPrompt(body.messages);
    const sessionId = headers['x-claude-code-session-id'];
    const agentId = headers['x-claude-code-agent-id'];
    const key = [kind, sessionId, agentId, keyword, index, step].join('/');
    const attempt = this.#attempts.get(key) ?? 0;
    this.#attempts.set(key, attempt + 1);
    const call: ModelCall = {
      kind,
      keyword,
      step,
      attempt,
      sessionId,
      agentId,
      headers,
      body,
      outcome: 'open',
    };
    this.requests.push(call);
    this.#tell(call);
    return call;
  }

  #tell(call: ModelCall): void {
    for (const watcher of this.#watchers) {
      if (!hasFacts(call, watcher.facts)) continue;
      this.#watchers.delete(watcher);
      watcher.resolve(call);
    }
  }

  async #reply(call: ModelCall, response: ServerResponse): Promise<Outcome> {
    const { body, kind, keyword, step, attempt } = call;
    if (kind === 'count') {
      const tokens = Math.ceil(JSON.stringify(body.messages).length / 4);
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ input_tokens: tokens }));
      return 'complete';
    }
    const { userText } = findPrompt(body.messages);
    const context: ScriptContext = {
      keyword: keyword ?? '',
      step,
      attempt,
      userText,
      model: body.model,
      tools: (body.tools ?? []).map((tool) => tool.name ?? ''),
      cwd: statedDirectory(body) ?? '/',
      planFile: statedPlanFile(body),
    };
    const script = kind === 'answer' ? this.scripts.get(keyword ?? 'unmarked') : undefined;
    const plain = kind === 'answer' ? echo(userText) : sideAnswer(kind, body);
    const answer = (script && resolveStep(script, context)) ?? {
      type: 'message' as const,
      parts: [text(plain)],
    };
    if (answer.type === 'failure') return writeFailure(response, answer);
    const gone = new AbortController();
    response.on('close', () => gone.abort());
    const reply = { response, signal: gone.signal, gates: this.gates, context };
    return writeAnswer(answer, reply, body.stream === true);
  }
}

/** Starts the fake on a free loopback port with the scripts of scenarios.ts. */
export async function startFakeAnthropic(): Promise<FakeAnthropic> {
  const fake = new FakeServer();
  const server = createServer((request, response) => {
    fake.handle(request, response).catch((error: unknown) => {
      // A script that throws is a bug of the test: make the agent show it instead of hanging.
      const message = `the script failed: ${error instanceof Error ? error.message : String(error)}`;
      if (response.headersSent) response.destroy();
      else writeFailure(response, failure(403, { message }));
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests: fake.requests,
    strayRequests: fake.strayRequests,
    script: (keyword, script) => {
      fake.scripts.set(keyword, script);
    },
    release: (name) => fake.gates.release(name),
    open: (name) => fake.gates.open(name),
    reached: (name, options) => fake.gates.reached(name, options),
    called: (facts, timeoutMs = 20_000) => fake.watch(facts, timeoutMs),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
