/** A session host with an in-memory store and a scripted agent, for tests of its policy. */
import type { SessionStart } from '@tugdeck/drivers/kit/port';
import { type Script, type ScriptedDriver, scriptedDriver } from '@tugdeck/drivers/kit/scripted';
import { type Timings, withTimings } from '@tugdeck/local/timings';
import type { Append, Change } from '@tugdeck/protocol/conversation/changes';
import type { Command } from '@tugdeck/protocol/conversation/commands';
import { entriesFrom } from '@tugdeck/protocol/conversation/entry-store';
import { fold, foldAppend } from '@tugdeck/protocol/conversation/fold';
import { type Conversation, EMPTY } from '@tugdeck/protocol/conversation/state';
import type { HostMessage, Receipt } from '@tugdeck/protocol/wire/host-link';
import type { Client } from '../src/client-connection.ts';
import type { RestoreFiles } from '../src/restore-files.ts';
import { SessionHost } from '../src/session-host.ts';
import type { TreeRecorder } from '../src/tree-recorder.ts';

type WithoutId<C> = C extends unknown ? Omit<C, 'id'> & { readonly id?: string } : never;
export type CommandInput = WithoutId<Command>;

export type Line = { changes: readonly Change[] } | { appends: readonly Append[] };

export interface Fixture {
  readonly host: SessionHost;
  readonly driver: ScriptedDriver;
  /** Everything written to disk, in order. */
  readonly lines: Line[];
  readonly client: RecordingClient;
  readonly ended: () => boolean;
  command(command: CommandInput): Receipt;
  /** Resolves when the state matches; checked on every message, never by time. */
  until(probe: (state: Conversation) => boolean): Promise<Conversation>;
}

export class RecordingClient implements Client {
  following = false;
  watching = false;
  readonly messages: HostMessage[] = [];
  readonly #listeners = new Set<() => void>();
  closed = false;

  onMessage(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  send(message: HostMessage): void {
    this.messages.push(message);
    for (const listener of [...this.#listeners]) listener();
  }

  sendLine(line: string): void {
    this.send(JSON.parse(line) as HostMessage);
  }

  publish(line: string): void {
    if (this.following) this.sendLine(line);
  }

  close(): void {
    this.closed = true;
  }
}

let commands = 0;

export function hostFixture(
  script: Script = {},
  options: {
    state?: Conversation;
    timings?: Partial<Timings>;
    driver?: ScriptedDriver;
    /** Resolves when the processes of an exiting agent are gone. */
    gone?: () => Promise<void>;
    blobs?: ReadonlyMap<string, string>;
    from?: SessionStart;
    trees?: TreeRecorder;
    restores?: RestoreFiles;
    /** The agent's own record of its session. */
    recorded?: () => Conversation | undefined;
    /** Throws while the disk is full. */
    disk?: () => void;
    /** A machine grants slots. */
    slots?: boolean;
  } = {},
): Fixture {
  const driver = options.driver ?? scriptedDriver(script);
  const lines: Line[] = [];
  const client = new RecordingClient();
  let ended = false;
  const changes = () => lines.flatMap((line) => ('changes' in line ? line.changes : []));
  const host = new SessionHost({
    state: options.state ?? EMPTY,
    store: {
      journal: {
        append: (batch) => {
          options.disk?.();
          lines.push({ changes: batch });
        },
        checkpoint: (appends) => {
          options.disk?.();
          lines.push({ appends });
        },
        sync: () => undefined,
      },
      find: (id) => [...entriesFrom(host.state.entries)].find((entry) => entry.id === id),
      spill: (body) => body,
      page: (before) => ({
        v: host.state.v,
        from: 0,
        to: before,
        entries: [...entriesFrom(host.state.entries)].filter(({ seq }) => seq < before),
      }),
      changesSince: (v) => changes().filter((change) => change.v > v),
      todosBefore: ({ isEnd }) => {
        const before = changes().slice(0, changes().findIndex(isEnd));
        const last = before.findLast((change) => change.kind === 'todos.replaced');
        return last?.todos ?? [];
      },
      load: ({ blob }) => options.blobs?.get(blob),
    },
    driver,
    agent: 'scripted',
    label: 'Scripted',
    launch: { command: '', args: [], directory: '/', environment: {}, maxLine: 1, from: options.from },
    process: {
      register: () => undefined,
      // As in reality: the program is gone before its exit is reported.
      end: async (farewell) => {
        if (farewell) setImmediate(farewell);
        await options.gone?.();
      },
    },
    record: () => undefined,
    readRecord: options.recorded,
    now: () => 1_000,
    trees: options.trees,
    slots: options.slots,
    restores: options.restores,
    timings: withTimings({
      restartMs: 0,
      startRetryMs: [0, 0],
      checkpointMs: 1,
      liveFlushMs: 0,
      ...options.timings,
    }),
    log: { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined },
    onEnd: () => {
      ended = true;
    },
  });
  host.attach(client);
  host.open();
  host.handle(client, { type: 'follow' });
  return {
    host,
    driver,
    lines,
    client,
    ended: () => ended,
    command(command) {
      commands += 1;
      const id = `00000000-0000-4000-8000-${String(commands).padStart(12, '0')}`;
      const before = client.messages.length;
      host.handle(client, { type: 'command', command: { id, ...command } as Command });
      const receipt = client.messages.slice(before).find((message) => message.type === 'receipt');
      if (!receipt) throw new Error('no receipt');
      return receipt;
    },
    until(probe) {
      return new Promise((resolve) => {
        const check = () => {
          if (!probe(host.state)) return false;
          forget();
          resolve(host.state);
          return true;
        };
        const forget = client.onMessage(check);
        check();
      });
    },
  };
}

/** The state according to the journal's lines. */
export function refold(lines: readonly Line[], from: Conversation = EMPTY): Conversation {
  let state = from;
  for (const line of lines) {
    if ('changes' in line) for (const change of line.changes) state = fold(state, change);
    else for (const append of line.appends) state = foldAppend(state, append);
  }
  return state;
}
