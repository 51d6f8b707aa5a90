// The server behind every scripted model: selects the script by the `SCN:keyword` marker of the last prompt and
// the step by the number of answers after it, and keeps the call log and the holds. A dialect defines the format
// of requests and answers. Never reaches a network.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Outcome, Reply } from './answer-parts.ts';
import { Gates, type ReachedOptions } from './gates.ts';
import type { CallKind, Prompt } from './messages-request.ts';
import { defaultScripts } from './scenarios.ts';
import {
  type Failure,
  failure,
  type MessageAnswer,
  resolveStep,
  type Script,
  type ScriptContext,
  text,
} from './script.ts';

export interface HttpRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** The parts of a request that scripts need. */
export interface Reading<Body> {
  readonly kind: CallKind;
  readonly body: Body;
  readonly prompt: Prompt;
  readonly model: string;
  readonly tools: readonly string[];
  readonly cwd?: string | undefined;
  readonly planFile?: string | undefined;
  readonly sessionId?: string | undefined;
  readonly agentId?: string | undefined;
}

/** One model API: how to parse its requests and format its answers. */
export interface Dialect<Body> {
  /** `stray`: not an endpoint of this API. `broken`: an invalid request. */
  read(request: HttpRequest): Reading<Body> | 'stray' | 'broken';
  /** Answered at once, without a script: token counts and the like. */
  direct?(reading: Reading<Body>): unknown;
  /** The answer to a request outside of the conversation. */
  aside(reading: Reading<Body>): string;
  write(answer: MessageAnswer, reply: Reply, reading: Reading<Body>): Promise<Outcome>;
  fail(response: ServerResponse, failed: Failure): Outcome;
}

export interface ModelCall<Body = unknown> {
  readonly kind: CallKind;
  /** The marker's keyword, even if no script of that name exists. */
  readonly keyword: string | undefined;
  readonly step: number;
  readonly attempt: number;
  /** The agent's own session id, and the subagent's id for calls made by one. */
  readonly sessionId: string | undefined;
  readonly agentId: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Body;
  outcome: Outcome | 'open';
}

export interface CallFacts {
  readonly kind?: CallKind;
  readonly keyword?: string;
  readonly step?: number;
  readonly attempt?: number;
  readonly outcome?: ModelCall['outcome'];
}

export interface FakeModel<Body = unknown> {
  /** For the agent's base URL. */
  readonly url: string;
  /** Every model call so far, oldest first. */
  readonly requests: readonly ModelCall<Body>[];
  /** Method and path of requests that are not part of the API; should stay empty. */
  readonly strayRequests: readonly string[];
  /** Adds or replaces the script of a keyword; `unmarked` is for prompts without a marker. */
  script(keyword: string, script: Script): void;
  /** Lets one stream pass the hold, now or when it arrives. */
  release(name: string): void;
  /** Lets every stream pass the hold from now on. */
  open(name: string): void;
  /** Resolves when a stream has arrived at the hold. */
  reached(name: string, options?: ReachedOptions): Promise<void>;
  /** Resolves with the first call that has all of these properties, past or future. */
  called(facts: CallFacts, timeoutMs?: number): Promise<ModelCall<Body>>;
  close(): Promise<void>;
}

interface CallWatcher<Body> {
  readonly facts: CallFacts;
  readonly resolve: (call: ModelCall<Body>) => void;
}

function hasFacts(call: ModelCall, facts: CallFacts): boolean {
  return (Object.keys(facts) as (keyof CallFacts)[]).every((key) => call[key] === facts[key]);
}

function echo(userText: string): string {
  const rest = userText.replace(/SCN:[\w-]+/g, '').trim();
  return rest === '' ? 'Understood.' : `You said: ${rest.slice(0, 200)}`;
}

async function readRequest(request: IncomingMessage): Promise<HttpRequest> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(request.headers)) headers[name] = String(value);
  return {
    method: request.method ?? 'GET',
    path: (request.url ?? '/').split('?')[0] ?? '/',
    headers,
    text: Buffer.concat(parts).toString('utf8'),
  };
}

class FakeServer<Body> {
  readonly requests: ModelCall<Body>[] = [];
  readonly strayRequests: string[] = [];
  readonly scripts = new Map<string, Script>(Object.entries(defaultScripts));
  readonly gates = new Gates();
  readonly #dialect: Dialect<Body>;
  readonly #attempts = new Map<string, number>();
  readonly #watchers = new Set<CallWatcher<Body>>();

  constructor(dialect: Dialect<Body>) {
    this.#dialect = dialect;
  }

  async handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const request = await readRequest(incoming);
    const { method, path } = request;
    if (method === 'HEAD' && path === '/') {
      response.writeHead(200).end();
      return;
    }
    const reading = this.#dialect.read(request);
    if (reading === 'stray') {
      this.strayRequests.push(`${method} ${path}`);
      this.#dialect.fail(response, failure(404, { message: `nothing at ${path}` }));
      return;
    }
    if (reading === 'broken') {
      this.#dialect.fail(response, failure(400, { message: 'not a request of this API' }));
      return;
    }
    const call = this.#record(request, reading);
    call.outcome = await this.#reply(call, reading, response);
    this.#notifyWaiters(call);
  }

  fail(response: ServerResponse, failed: Failure): void {
    this.#dialect.fail(response, failed);
  }

  watch(facts: CallFacts, timeoutMs: number): Promise<ModelCall<Body>> {
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
      const watcher: CallWatcher<Body> = {
        facts,
        resolve: (call) => {
          clearTimeout(timer);
          resolve(call);
        },
      };
      this.#watchers.add(watcher);
    });
  }

  #record({ headers }: HttpRequest, reading: Reading<Body>): ModelCall<Body> {
    const { kind, body, sessionId, agentId } = reading;
    const { keyword, step, index } = reading.prompt;
    const key = [kind, sessionId, agentId, keyword, index, step].join('/');
    const attempt = this.#attempts.get(key) ?? 0;
    this.#attempts.set(key, attempt + 1);
    const call: ModelCall<Body> = {
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
    this.#notifyWaiters(call);
    return call;
  }

  #notifyWaiters(call: ModelCall<Body>): void {
    for (const watcher of this.#watchers) {
      if (!hasFacts(call, watcher.facts)) continue;
      this.#watchers.delete(watcher);
      watcher.resolve(call);
    }
  }

  async #reply(call: ModelCall<Body>, reading: Reading<Body>, response: ServerResponse): Promise<Outcome> {
    const { kind, keyword, step, attempt } = call;
    const direct = this.#dialect.direct?.(reading);
    if (direct !== undefined) {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(direct));
      return 'complete';
    }
    const { model, tools, prompt } = reading;
    const context: ScriptContext = {
      keyword: keyword ?? '',
      step,
      attempt,
      userText: prompt.userText,
      model,
      tools,
      cwd: reading.cwd ?? '/',
      planFile: reading.planFile,
    };
    const script = kind === 'answer' ? this.scripts.get(keyword ?? 'unmarked') : undefined;
    const plain = kind === 'answer' ? echo(prompt.userText) : this.#dialect.aside(reading);
    const answer = (script && resolveStep(script, context)) ?? {
      type: 'message' as const,
      parts: [text(plain)],
    };
    if (answer.type === 'failure') return this.#dialect.fail(response, answer);
    const gone = new AbortController();
    response.on('close', () => gone.abort());
    return this.#dialect.write(
      answer,
      { response, signal: gone.signal, gates: this.gates, context },
      reading,
    );
  }
}

/** Starts a fake on a free loopback port with the scripts of scenarios.ts. */
export async function startFakeModel<Body>(dialect: Dialect<Body>): Promise<FakeModel<Body>> {
  const fake = new FakeServer(dialect);
  const server = createServer((request, response) => {
    fake.handle(request, response).catch((error: unknown) => {
      // A script that throws is a bug in the test: make the agent report it instead of hanging.
      const message = `the script failed: ${error instanceof Error ? error.message : String(error)}`;
      if (response.headersSent) response.destroy();
      else fake.fail(response, failure(403, { message }));
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
    called: (facts, timeoutMs = 60_000) => fake.watch(facts, timeoutMs),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
