/**
 * The agent's side of the connection: JSON-RPC 2.0, one message per line. Matches responses to its own requests,
 * passes the client's requests to a handler, and waits while the pipe is full. Knows no methods.
 */
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';

export type Id = string | number | null;
export type Fields = Readonly<Record<string, unknown>>;

export class RpcFault extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.name = 'RpcFault';
    this.code = code;
  }
}

export interface Service {
  request(method: string, params: Fields): Promise<unknown>;
  notification(method: string, params: Fields): void;
}

interface Waiting {
  resolve(result: unknown): void;
  reject(error: Error): void;
}

export class Connection {
  readonly #output: Writable;
  readonly #waiting = new Map<number, Waiting>();
  #next = 0;
  #full: Promise<void> | undefined;

  constructor(input: Readable, output: Writable, service: Service) {
    this.#output = output;
    const lines = createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY });
    lines.on('line', (line) => this.#line(line, service));
  }

  /** Resolves with the client's result. */
  request(method: string, params: Fields): Promise<unknown> {
    const id = this.#next++;
    // Registered before writing, because the response may arrive at once.
    const answered = new Promise<unknown>((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
    this.#write({ id, method, params });
    return answered;
  }

  notify(method: string, params: Fields): void {
    this.#write({ method, params });
  }

  /** Resolves when the pipe can take more data. */
  get flowing(): Promise<void> {
    return this.#full ?? Promise.resolve();
  }

  #line(line: string, service: Service): void {
    const message = parse(line);
    if (!message) {
      this.#write({ id: null, error: { code: -32700, message: 'Invalid JSON' } });
      return;
    }
    const { id, method } = message;
    const params = fieldsOf(message.params);
    if (typeof method !== 'string') this.#answered(message);
    else if (id === undefined) service.notification(method, params);
    else void this.#serve(id as Id, service.request(method, params));
  }

  async #serve(id: Id, served: Promise<unknown>): Promise<void> {
    try {
      this.#write({ id, result: (await served) ?? {} });
    } catch (error) {
      const code = error instanceof RpcFault ? error.code : -32603;
      this.#write({ id, error: { code, message: error instanceof Error ? error.message : String(error) } });
    }
  }

  #answered(message: Fields): void {
    const waiting = this.#waiting.get(message.id as number);
    this.#waiting.delete(message.id as number);
    const fault = fieldsOf(message.error);
    if (message.error) waiting?.reject(new RpcFault(Number(fault.code), String(fault.message)));
    else waiting?.resolve(message.result);
  }

  #write(message: Fields): void {
    const flows = this.#output.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
    if (flows || this.#full) return;
    this.#full = new Promise((resolve) => {
      this.#output.once('drain', () => {
        this.#full = undefined;
        resolve();
      });
    });
  }
}

export function fieldsOf(value: unknown): Fields {
  return value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as Fields) : {};
}

function parse(line: string): Fields | undefined {
  try {
    return fieldsOf(JSON.parse(line));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
