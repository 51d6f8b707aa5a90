/** Real agent processes for driver tests: the demo agent, a puppet, a third-party agent. */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Answer } from '@tugdeck/protocol/conversation/commands';
import type { Entry, RequestEntry } from '@tugdeck/protocol/conversation/entries';
import { entriesFrom } from '@tugdeck/protocol/conversation/entry-store';
import { pendingRequests } from '@tugdeck/protocol/conversation/state';
import { build } from 'rolldown';
import { afterAll } from 'vitest';
import { acpDriver } from '../src/acp/driver.ts';
import { ContractSink } from '../src/kit/contract.ts';
import type { Agent, AgentStart } from '../src/kit/port.ts';

const here = (file: string): string => fileURLToPath(new URL(file, import.meta.url));
export const PUPPET = here('./acp-puppet.mjs');
export const STRANGER = here('./acp-third-party.mjs');

const made: string[] = [];
afterAll(() => {
  for (const directory of made) rmSync(directory, { recursive: true, force: true });
});

/** Removed after the tests of the file. */
export function emptyDirectory(): string {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), 'tugdeck-acp-')));
  made.push(directory);
  return directory;
}

/** The bundled demo agent, as shipped. */
export async function bundleDemoAgent(): Promise<string> {
  const file = join(emptyDirectory(), 'demo-agent.mjs');
  const input = here('../../demo-agent/src/main.ts');
  await build({ input, platform: 'node', logLevel: 'silent', output: { file, format: 'esm' } });
  return file;
}

export function startOf(program: string, more: Partial<AgentStart> = {}): AgentStart {
  return {
    command: process.execPath,
    args: [program],
    directory: emptyDirectory(),
    session: { kind: 'new', id: randomUUID() },
    maxLine: 1024 * 1024,
    ...more,
    environment: {
      PATH: process.env.PATH ?? '',
      HOME: emptyDirectory(),
      TUGDECK_DEMO_PACE: '0',
      ...more.environment,
    },
  };
}

/** A sink that also records raw lines. */
export class LiveSink extends ContractSink {
  readonly written: Record<string, unknown>[] = [];
  readonly lives: string[] = [];

  constructor() {
    super();
    const { record, emit } = this;
    this.record = (direction, line) => {
      if (direction === 'in') this.written.push(JSON.parse(line) as Record<string, unknown>);
      record(direction, line);
    };
    this.emit = (outputs) => {
      for (const output of outputs) if (output.kind === 'live') this.lives.push(output.text);
      emit(outputs);
    };
  }

  get entries(): Entry[] {
    return [...entriesFrom(this.state.entries)];
  }

  /** Called methods, in order. */
  get calls(): string[] {
    return this.written.flatMap(({ method }) => (typeof method === 'string' ? [method] : []));
  }
}

export interface Live {
  readonly sink: LiveSink;
  readonly agent: Agent;
  /** Sends a prompt, answers its requests, and waits for the end of the turn. */
  turn(text: string, answer?: (request: RequestEntry) => Answer): Promise<void>;
  send(text: string): void;
  /** Answers like the host: settles first, then replies to the agent. */
  reply(request: RequestEntry, answer: Answer): void;
  request(): Promise<RequestEntry>;
  idle(): Promise<void>;
  end(): Promise<void>;
}

export const allow = (): Answer => ({ type: 'permission', behavior: 'allow' });

export async function startLive(start: AgentStart): Promise<Live> {
  const sink = new LiveSink();
  const agent = acpDriver.start(start, sink);
  await sink.until('it was ready', (seen) => seen.isReady);
  const live: Live = {
    sink,
    agent,
    send(text) {
      const id = randomUUID();
      sink.send(agent, { id, text });
    },
    reply(request, answer) {
      sink.fold({ kind: 'request.settled', entry: request.id, status: 'answered', answer });
      agent.answer(request, answer);
    },
    async request() {
      await sink.until('a request', ({ state }) => pendingRequests(state).length > 0);
      const [request] = pendingRequests(sink.state);
      if (!request) throw new Error('no request');
      return request;
    },
    idle: () => sink.until('the end of the turn', ({ state }) => state.turn === null),
    async turn(text, answer = allow) {
      live.send(text);
      for (;;) {
        await sink.until('a request or the end', ({ state }) => {
          return state.turn === null || pendingRequests(state).length > 0;
        });
        const [request] = pendingRequests(sink.state);
        if (!request) return;
        live.reply(request, answer(request));
      }
    },
    async end() {
      agent.end();
      await sink.until('its exit', ({ exit }) => exit !== undefined);
      if (sink.breaches.length > 0) throw new Error(sink.breaches.join('; '));
    },
  };
  return live;
}
