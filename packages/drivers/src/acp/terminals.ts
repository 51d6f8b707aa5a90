/**
 * `terminal/*`: commands that the agent lets the client run, as processes in their own groups with limited output. No
 * known agent uses it. Ends with the agent.
 */
import { type ChildProcess, type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { listOf, numberAt, recordOf, textAt } from '../kit/fields.ts';
import type { Outcome } from '../kit/peer.ts';
import { ERROR } from '../kit/rpc.ts';

export interface TerminalsOptions {
  readonly directory: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Maximum output kept per terminal, whatever limit the agent requests. */
  readonly maxBytes: number;
  readonly maxTerminals: number;
  /** Live output, as text. */
  readonly output: (terminal: string, data: string) => void;
}

interface ExitStatus {
  readonly exitCode: number | null;
  readonly signal: string | null;
}

interface Terminal {
  readonly child: ChildProcess;
  readonly limit: number;
  kept: Buffer;
  truncated: boolean;
  exit: ExitStatus | undefined;
  readonly waiting: ((outcome: Outcome) => void)[];
}

export class Terminals {
  readonly #options: TerminalsOptions;
  readonly #terminals = new Map<string, Terminal>();
  #count = 0;

  constructor(options: TerminalsOptions) {
    this.#options = options;
  }

  call(method: string, params: unknown, done: (outcome: Outcome) => void): void {
    if (method === 'terminal/create') {
      done(this.#create(params));
      return;
    }
    const id = textAt(params, 'terminalId') ?? '';
    const terminal = this.#terminals.get(id);
    if (!terminal) {
      done({ error: { code: ERROR.notFound, message: `Terminal not found: ${id}` } });
      return;
    }
    switch (method) {
      case 'terminal/output':
        done({
          result: {
            output: terminal.kept.toString('utf8'),
            truncated: terminal.truncated,
            ...(terminal.exit ? { exitStatus: terminal.exit } : {}),
          },
        });
        return;
      case 'terminal/wait_for_exit':
        if (terminal.exit) done({ result: terminal.exit });
        else terminal.waiting.push(done);
        return;
      case 'terminal/kill':
        end(terminal);
        done({ result: {} });
        return;
      case 'terminal/release':
        end(terminal);
        this.#terminals.delete(id);
        done({ result: {} });
        return;
      default:
        done({ error: { code: ERROR.methodNotFound, message: `Unsupported method: ${method}` } });
    }
  }

  /** The agent has exited. */
  endAll(): void {
    for (const terminal of this.#terminals.values()) end(terminal);
    this.#terminals.clear();
  }

  #create(params: unknown): Outcome {
    const command = textAt(params, 'command');
    if (command === undefined) return { error: { code: ERROR.invalidParams, message: 'No command.' } };
    if (this.#terminals.size >= this.#options.maxTerminals) {
      return { error: { code: ERROR.invalidParams, message: 'Too many terminals are open.' } };
    }
    const started = this.#spawn(command, params);
    if (typeof started === 'string') return { error: { code: ERROR.invalidParams, message: started } };
    const child = started;
    const id = `terminal-${++this.#count}`;
    const requestedLimit = numberAt(params, 'outputByteLimit') ?? this.#options.maxBytes;
    const terminal: Terminal = {
      child,
      limit: Math.max(0, Math.min(requestedLimit, this.#options.maxBytes)),
      kept: Buffer.alloc(0),
      truncated: false,
      exit: undefined,
      waiting: [],
    };
    this.#terminals.set(id, terminal);
    const decoder = new TextDecoder();
    const take = (chunk: Buffer): void => {
      keep(terminal, chunk);
      this.#options.output(id, decoder.decode(chunk, { stream: true }));
    };
    child.stdout.on('data', take);
    child.stderr.on('data', take);
    child.once('error', (error) => {
      keep(terminal, Buffer.from(`${error.message}\n`));
      setExit(terminal, { exitCode: 127, signal: null });
    });
    child.once('close', (exitCode, signal) => setExit(terminal, { exitCode, signal }));
    return { result: { terminalId: id } };
  }

  /** The process, or why it could not be spawned: a NUL or an empty command. */
  #spawn(command: string, params: unknown): ChildProcessByStdio<null, Readable, Readable> | string {
    try {
      return spawn(command, stringsOf(recordOf(params).args), {
        cwd: textAt(params, 'cwd') ?? this.#options.directory,
        env: { ...this.#options.environment, ...variablesOf(recordOf(params).env) },
        stdio: ['ignore', 'pipe', 'pipe'],
        detached: true,
      });
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }
}

/** Keeps only the end, cut at a character boundary. */
function keep(terminal: Terminal, chunk: Buffer): void {
  const all = Buffer.concat([terminal.kept, chunk]);
  if (all.length <= terminal.limit) {
    terminal.kept = all;
    return;
  }
  terminal.truncated = true;
  let from = all.length - terminal.limit;
  while (from < all.length && ((all[from] ?? 0) & 0xc0) === 0x80) from++;
  terminal.kept = all.subarray(from);
}

function setExit(terminal: Terminal, exit: ExitStatus): void {
  if (terminal.exit) return;
  terminal.exit = exit;
  for (const done of terminal.waiting.splice(0)) done({ result: exit });
}

function end({ child, exit }: Terminal): void {
  if (exit || child.pid === undefined) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch (error) {
    // Already gone, as intended.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

function stringsOf(value: unknown): string[] {
  return listOf(value).filter((word) => typeof word === 'string');
}

function variablesOf(value: unknown): Record<string, string> {
  const pairs = listOf(value).flatMap((variable): [string, string][] => {
    const name = textAt(variable, 'name');
    return name === undefined ? [] : [[name, textAt(variable, 'value') ?? '']];
  });
  return Object.fromEntries(pairs);
}
