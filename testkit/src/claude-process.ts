// A real claude, used directly over stdin and stdout without the product: for tests of the kit itself and as a
// reference in benchmarks. Keeps every line; waiting is always for a line or the end.
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { claudeBinary } from './agents.ts';
import { claudeEnvironment } from './clean-env.ts';
import type { Sandbox } from './temp.ts';

/** One parsed line of stdout, with only the fields that tests match on. */
export interface ClaudeLine {
  readonly type: string;
  readonly subtype?: string;
  readonly request_id?: string;
  readonly [key: string]: unknown;
}

export interface ClaudeProcess {
  readonly pid: number;
  readonly lines: readonly ClaudeLine[];
  readonly stderr: () => string;
  prompt(text: string): void;
  send(line: Record<string, unknown>): void;
  /** Answers a request of the agent, such as `can_use_tool`. */
  answer(request: ClaudeLine, response: Record<string, unknown>): void;
  /** The first line that matches, past or future, from index `from` on. */
  line(match: (line: ClaudeLine) => boolean, what: string, from?: number): Promise<ClaudeLine>;
  /** Closes stdin and resolves with the exit code. */
  end(): Promise<number | null>;
}

export interface ClaudeOptions {
  readonly args?: readonly string[];
  readonly extra?: Readonly<Record<string, string>>;
  readonly timeoutMs?: number;
}

interface Waiter {
  readonly match: (line: ClaudeLine) => boolean;
  readonly resolve: (line: ClaudeLine) => void;
  readonly reject: (error: Error) => void;
}

export const claudeFlags: readonly string[] = [
  ...['--output-format', 'stream-json', '--input-format', 'stream-json', '--verbose'],
  ...['--include-partial-messages', '--replay-user-messages', '--permission-prompt-tool', 'stdio'],
];

class Conversation {
  readonly lines: ClaudeLine[] = [];
  readonly #waiters = new Set<Waiter>();
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #timeoutMs: number;
  readonly exit: Promise<number | null>;
  stderr = '';
  #ended = false;

  constructor(child: ChildProcessWithoutNullStreams, timeoutMs: number) {
    this.#child = child;
    this.#timeoutMs = timeoutMs;
    createInterface({ input: child.stdout }).on('line', (line) => this.#take(line));
    child.stderr.setEncoding('utf8').on('data', (more: string) => {
      this.stderr += more;
    });
    // A write after its death is reported by `exit` and by the waiters; the pipe's own error adds nothing.
    child.stdin.on('error', (error) => {
      this.stderr += `stdin: ${error.message}\n`;
    });
    this.exit = new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code) => {
        this.#ended = true;
        for (const waiter of this.#waiters)
          waiter.reject(new Error(`claude exited with ${code}: ${this.stderr}`));
        resolve(code);
      });
    });
  }

  #take(text: string): void {
    const line = JSON.parse(text) as ClaudeLine;
    this.lines.push(line);
    for (const waiter of this.#waiters) {
      if (!waiter.match(line)) continue;
      this.#waiters.delete(waiter);
      waiter.resolve(line);
    }
  }

  wait(match: Waiter['match'], what: string, from = 0): Promise<ClaudeLine> {
    const known = this.lines.find((line, index) => index >= from && match(line));
    if (known) return Promise.resolve(known);
    if (this.#ended) return Promise.reject(new Error(`claude exited before ${what}: ${this.stderr}`));
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiters.delete(waiter);
        const seen = this.lines.map((line) => `${line.type}/${line.subtype ?? ''}`).join(' ');
        reject(new Error(`no ${what} in ${this.#timeoutMs} ms; lines: ${seen}; stderr: ${this.stderr}`));
      }, this.#timeoutMs);
      const settle =
        <T>(then: (value: T) => void) =>
        (value: T): void => {
          clearTimeout(timer);
          then(value);
        };
      const waiter: Waiter = { match, resolve: settle(resolve), reject: settle(reject) };
      this.#waiters.add(waiter);
    });
  }

  send(line: Record<string, unknown>): void {
    this.#child.stdin.write(`${JSON.stringify(line)}\n`);
  }

  end(): Promise<number | null> {
    this.#child.stdin.end();
    return this.exit;
  }
}

export function startClaude(
  sandbox: Sandbox,
  fake: { readonly url: string },
  { args = [], extra = {}, timeoutMs = 60_000 }: ClaudeOptions = {},
): ClaudeProcess {
  const child = spawn(claudeBinary(), [...claudeFlags, ...args], {
    cwd: sandbox.project,
    env: claudeEnvironment(sandbox, fake, { extra }),
  });
  const talk = new Conversation(child, timeoutMs);
  if (child.pid === undefined) throw new Error(`could not start ${claudeBinary()}`);
  return {
    pid: child.pid,
    lines: talk.lines,
    stderr: () => talk.stderr,
    send: (line) => talk.send(line),
    prompt: (text) => {
      const message = { role: 'user', content: [{ type: 'text', text }] };
      talk.send({ type: 'user', uuid: crypto.randomUUID(), message });
    },
    answer: (request, response) => {
      const { request_id } = request;
      talk.send({ type: 'control_response', response: { subtype: 'success', request_id, response } });
    },
    line: (match, what, from) => talk.wait(match, what, from),
    end: () => talk.end(),
  };
}
