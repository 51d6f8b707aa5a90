/**
 * Unacknowledged commands in local storage, so that a reload while offline loses none (D6). Each has its own key,
 * because several pages share the storage. They are resent with the same id, so a command that did arrive takes
 * effect once.
 */
import { type CommandKind, commandSchema } from '@tugdeck/protocol/conversation/commands';
import type { DraftStorage } from './drafts.ts';
import type { PendingCommand } from './outbox.ts';

const PREFIX = 'tugdeck.waiting.';

/** Other commands apply to the current moment ("stop this"); after a reload they could hit something else. */
const STORED_KINDS: ReadonlySet<CommandKind> = new Set([
  'prompt.send',
  'prompt.edit',
  'prompt.move',
  'prompt.withdraw',
  'prompt.resend',
  'prompt.drop',
  'request.answer',
  'session.configure',
] as const);

export class StoredCommands {
  readonly #storage: DraftStorage | undefined;
  readonly #fault: (why: string) => void;
  /** Ids of stored commands per session, written or read by this page. */
  readonly #stored = new Map<string, ReadonlySet<string>>();

  constructor(options: {
    readonly storage: DraftStorage | undefined;
    readonly fault: (why: string) => void;
  }) {
    this.#storage = options.storage;
    this.#fault = options.fault;
  }

  /** Sessions with undelivered commands of an earlier page. */
  sessions(): readonly string[] {
    const named = new Set(this.#keys().map((key) => sessionOf(key)));
    return [...named].filter((session) => this.load(session).length > 0);
  }

  /** In the order they were issued. */
  load(session: string): readonly PendingCommand[] {
    const found: PendingCommand[] = [];
    for (const key of this.#keys()) {
      if (sessionOf(key) !== session) continue;
      const pending = this.#read(key);
      if (pending && key === keyOf(session, pending.command.id)) found.push(pending);
      else this.#attempt((storage) => storage.removeItem(key));
    }
    this.#stored.set(session, new Set(found.map(({ command }) => command.id)));
    return found.sort((a, b) => a.at - b.at);
  }

  /** Replaces the stored commands of a session. */
  save(session: string, waiting: readonly PendingCommand[]): void {
    const kept = waiting.filter(({ command }) => STORED_KINDS.has(command.kind));
    const before = this.#stored.get(session) ?? new Set();
    const now = new Set(kept.map(({ command }) => command.id));
    this.#stored.set(session, now);
    this.#attempt((storage) => {
      for (const id of before) if (!now.has(id)) storage.removeItem(keyOf(session, id));
      for (const { command, at } of kept) {
        if (!before.has(command.id))
          storage.setItem(keyOf(session, command.id), JSON.stringify({ command, at }));
      }
    });
  }

  #keys(): readonly string[] {
    const keys: string[] = [];
    this.#attempt((storage) => {
      for (let index = 0; index < storage.length; index++) {
        const key = storage.key(index);
        if (key?.startsWith(PREFIX)) keys.push(key);
      }
    });
    return keys;
  }

  #read(key: string): PendingCommand | undefined {
    let value: unknown;
    this.#attempt((storage) => {
      value = JSON.parse(storage.getItem(key) ?? 'null');
    });
    if (typeof value !== 'object' || value === null || !('command' in value) || !('at' in value)) return;
    const parsed = commandSchema.safeParse(value.command);
    if (!parsed.success || !STORED_KINDS.has(parsed.data.kind) || !Number.isFinite(value.at)) return;
    return { command: parsed.data, at: Number(value.at) };
  }

  #attempt(run: (storage: DraftStorage) => void): void {
    if (!this.#storage) return;
    try {
      run(this.#storage);
    } catch (error) {
      this.#fault(`kept commands: ${String(error)}`);
    }
  }
}

function keyOf(session: string, command: string): string {
  return `${PREFIX}${session}/${command}`;
}

function sessionOf(key: string): string {
  return key.slice(PREFIX.length, key.lastIndexOf('/'));
}
