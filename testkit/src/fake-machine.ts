/** A machine with one session, whose commands become numbered changes, and areas that echo. */
import { Readable } from 'node:stream';
import type { Log } from '@tugdeck/local/log';
import type { DeckPush, Machine, PageRequest } from '@tugdeck/machine/port';
import { CodedError } from '@tugdeck/protocol/wire/errors';

export const MACHINE_ID = '0b6f2a52-6a0c-4c2f-9a29-6f3f6c9b7b01';
export const SESSION = '5c5b7f9e-7a33-4b47-8c3e-0d7a6f1f2a11';

export const quietLog: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

export class FakeMachine implements Machine {
  readonly id = MACHINE_ID;
  /** Ids of applied commands; their place is their version. */
  readonly journal: string[] = [];
  readonly saved = new Map<string, Buffer>();
  readonly opened: string[] = [];
  readonly closedAreas: string[] = [];
  pauses = 0;
  resumes = 0;
  openChannels = 0;
  readonly #followers = new Set<() => void>();
  readonly #decks = new Set<(push: DeckPush) => void>();

  readonly files: Machine['files'] = {
    find: async (_project, query) => [{ path: `${query}.txt`, kind: 'file' }],
    readText: async (_project, path) => ({
      kind: 'text' as const,
      text: path.repeat(100),
      hash: 'a'.repeat(64),
      isWritable: true,
    }),
    save: async (_project, path, bytes) => {
      this.saved.set(path, bytes);
      return { kind: 'saved', hash: 'b'.repeat(64) };
    },
    openRaw: async (_project, path, limit) => {
      const bytes = this.saved.get(path);
      if (!bytes) throw new CodedError('FILE_NOT_FOUND');
      if (bytes.length > limit) throw new CodedError('FILE_TOO_LARGE');
      return { size: bytes.length, content: Readable.from(pieces(bytes)) };
    },
    receive: async (_project, path, { body }) => {
      const parts: Buffer[] = [];
      for await (const part of body) parts.push(part as Buffer);
      this.saved.set(path, Buffer.concat(parts));
    },
  };

  openDeck(send: (push: DeckPush) => void) {
    this.#decks.add(send);
    send({ type: 'whole', deck: { projects: [], agents: [], defaultAgent: 'demo', sessions: [] } });
    return { ...this.#counted(), opened: Promise.resolve(), close: () => void this.#decks.delete(send) };
  }

  push(push: DeckPush): void {
    for (const send of this.#decks) send(push);
  }

  openChannel(session: string, send: (messages: readonly string[]) => void) {
    if (session !== SESSION) {
      const opened = Promise.reject<void>(new CodedError('SESSION_NOT_FOUND'));
      opened.catch(() => undefined);
      const ignore = () => undefined;
      return { opened, request: ignore, pause: ignore, resume: ignore, close: ignore };
    }
    this.openChannels++;
    let sent: number | undefined;
    const publish = () => {
      if (sent === undefined || sent === this.journal.length) return;
      const changes = this.journal.slice(sent).map((command, at) => ({ v: (sent ?? 0) + at + 1, command }));
      sent = this.journal.length;
      send([JSON.stringify({ type: 'changes', changes })]);
    };
    this.#followers.add(publish);
    return {
      ...this.#counted(),
      opened: Promise.resolve(),
      request: (request: PageRequest) => {
        if (request.type === 'follow') {
          sent = request.v ?? 0;
          publish();
        }
        if (request.type !== 'command') return;
        const { id } = request.command;
        if (!this.journal.includes(id)) this.journal.push(id);
        for (const follower of this.#followers) follower();
        send([JSON.stringify({ type: 'receipt', command: id, v: this.journal.indexOf(id) + 1 })]);
      },
      close: () => {
        this.openChannels--;
        this.#followers.delete(publish);
      },
    };
  }

  openArea(name: string, about: unknown, out: Parameters<Machine['openArea']>[2]) {
    this.opened.push(name);
    const { flood } = about as { flood?: number };
    out.push({ about });
    if (flood !== undefined) for (let at = 0; at < flood; at++) out.bytes(Buffer.alloc(64 * 1024, at));
    return {
      ...this.#counted(),
      opened: Promise.resolve(),
      call: async (ask: Readonly<Record<string, unknown>>) => {
        if (ask.fail) throw new CodedError('GIT_FAILED', 'no', 'hint');
        return ask;
      },
      bytes: (data: Uint8Array) => out.bytes(data),
      close: () => void this.closedAreas.push(name),
    };
  }

  perform = async () => undefined;
  isStored = async () => true;
  readBlob = async (_session: string, hash: string) => this.saved.get(hash);
  storeBlob = async (_session: string, text: string) => {
    this.saved.set('blob', Buffer.from(text));
    return { blob: 'c'.repeat(64), size: text.length, head: '', tail: '' };
  };
  browse = async (path: string) => ({ path, folders: [] });
  describeConfig = async () => {
    throw new CodedError('PROJECT_NOT_FOUND');
  };
  openProject = async (directory: string, environment: Readonly<Record<string, string>>) =>
    `${directory} ${environment.FROM ?? ''}`;
  prepareSession = async () => ({});
  workspaces = async () => {
    throw new CodedError('WORKSPACE_NOT_FOUND');
  };
  placement = async () => ({ freeMemory: 1, projects: [] });
  status = async () => ({ projects: [], sessions: 1, hosts: [] });
  search = async () => ({ hits: [], more: false, unread: 0 });
  rebuildIndex = async () => undefined;

  #counted() {
    return {
      pause: () => {
        this.pauses++;
      },
      resume: () => {
        this.resumes++;
      },
    };
  }
}

function* pieces(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += 50_000) yield bytes.subarray(at, at + 50_000);
}
