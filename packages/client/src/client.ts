/**
 * The page's client: connection, deck, conversations, areas and drafts. Runs in a browser, without React. Views
 * read its `Readable`s and call its methods; they use nothing else of this package.
 */
import type { AboutInput, Area } from '@tugdeck/protocol/areas/area';
import type { Deck, DeckMessage, KeysState, SessionRow } from '@tugdeck/protocol/wire/deck';
import type { SocketAccess } from './access.ts';
import { type AreaChannel, Areas } from './areas.ts';
import type { PageCache } from './cache.ts';
import { codedError } from './client-error.ts';
import { type Clock, pageClock, pageFrame } from './clock.ts';
import { Connection, type ConnectionStatus, type WebSocketLike, type Welcome } from './connection.ts';
import type { ConversationChannel } from './conversation-channel.ts';
import { Conversations } from './conversations.ts';
import { type DeckRequestInput, DeckRequests } from './deck-requests.ts';
import { DeckRows } from './deck-rows.ts';
import { type DraftStorage, Drafts } from './drafts.ts';
import { Feeds } from './feeds.ts';
import { newId } from './new-id.ts';
import { createCell, type Frame, FrameQueue, type Readable } from './store.ts';
import { StoredCommands } from './stored-commands.ts';

export type { ConnectionStatus } from './connection.ts';
export type { DeckRequestInput } from './deck-requests.ts';

/** Messages that could not be parsed (a bug or another version), shown in diagnostics. */
export interface Faults {
  readonly count: number;
  readonly last?: string;
}

export interface Client {
  readonly status: Readable<ConnectionStatus>;
  readonly deck: Readable<Deck | undefined>;
  /** The project that another `tugdeck DIR` asked to show. */
  readonly requestedProject: Readable<string | undefined>;
  /** The layout stored on the server, once received. */
  readonly layout: Readable<{ readonly text: string | undefined } | undefined>;
  readonly keys: Readable<KeysState | undefined>;
  /** Preferences stored on the server, once received. */
  readonly choices: Readable<Readonly<Record<string, string>> | undefined>;
  /** Whether this device may only read and answer (N55), once the server said so. */
  readonly limited: Readable<boolean | undefined>;
  /** Whether devices can be called (N52). */
  readonly canPush: Readable<boolean>;
  readonly faults: Readable<Faults>;
  /** Resolves on `done`, rejects with ClientError. While offline it waits and is sent once. */
  request(request: DeckRequestInput): Promise<void>;
  /** Reference-counted by `release`; the same object while any caller holds it. */
  conversation(session: string): ConversationChannel;
  /** Opens an area for a card. The caller closes it. */
  openArea<A extends Area>(area: A, about: AboutInput<A>): AreaChannel<A>;
  draft(session: string): string;
  /** Saved in the browser at once, on the server shortly after. */
  saveDraft(session: string, text: string): void;
  reconnect(): void;
  /** Checks the connection, after the page woke up or its network changed. */
  checkConnection(): void;
  dispose(): void;
}

export interface ClientOptions {
  readonly url: string;
  readonly build: string;
  readonly createSocket?: (url: string) => WebSocketLike;
  readonly frame?: Frame;
  readonly clock?: Clock;
  readonly storage?: DraftStorage | undefined;
  readonly access: SocketAccess;
  readonly newId?: () => string;
  /** Shown until the server answers (D5). */
  readonly cache?: PageCache | undefined;
}

/** Live lines and counts of working sessions are shown together at this interval; other changes in the next frame. */
const LIVE_MS = 500;

export function createClient(options: ClientOptions): Client {
  const clock = options.clock ?? pageClock;
  const makeId = options.newId ?? newId;
  const queue = new FrameQueue(options.frame ?? pageFrame);
  const status = createCell<ConnectionStatus>({ state: 'connecting', attempt: 0 }, queue);
  const deck = createCell<Deck | undefined>(undefined, queue);
  const requestedProject = createCell<string | undefined>(undefined, queue);
  const layout = createCell<{ readonly text: string | undefined } | undefined>(undefined, queue);
  const keys = createCell<KeysState | undefined>(undefined, queue);
  const choices = createCell<Readonly<Record<string, string>> | undefined>(undefined, queue);
  const limited = createCell<boolean | undefined>(undefined, queue);
  const canPush = createCell(false, queue);
  const faults = createCell<Faults>({ count: 0 }, queue);
  const fault = (why: string) => faults.set({ count: faults.get().count + 1, last: why });

  const { cache } = options;
  const rows = new DeckRows();
  const storage = 'storage' in options ? options.storage : pageStorage(fault);
  const storedCommands = new StoredCommands({ storage, fault });

  const connection: Connection = new Connection({
    url: options.url,
    build: options.build,
    createSocket: options.createSocket ?? ((url) => new WebSocket(url)),
    access: options.access,
    clock,
    newId: makeId,
    status,
    events: {
      online,
      lost,
      deck: receiveDeck,
      conversation: (channel, messages, broken) => conversations.receive(channel, messages, broken),
      feed: (channel, message) => feeds.receive(channel, message),
      bytes: (channel, data) => feeds.receiveBytes(channel, data),
      fault,
    },
  });
  let lastChannel = 0;
  const nextChannel = () => ++lastChannel;
  const requests = new DeckRequests({
    send: (request) => connection.sendDeckRequest(request),
    isReady: () => connection.ready,
    newId: makeId,
  });
  const drafts = new Drafts({
    storage,
    clock,
    save: (session, text) => requests.send({ type: 'draft.save', session, text }, { persistent: false }),
    fault,
  });
  const conversations = new Conversations({
    requests,
    isReady: () => connection.ready,
    nextChannel,
    send: (channel, request) => connection.sendHostRequest(channel, request),
    queue,
    clock,
    newId: makeId,
    fault,
    cache,
    storedCommands,
  });

  const feeds = new Feeds({
    requests,
    isReady: () => connection.ready,
    nextChannel,
    sendRequest: (name, channel, request) => connection.sendFeedRequest(name, channel, request),
    sendBytes: (channel, data) => connection.sendBytes(channel, data),
    queue,
    newId: makeId,
    fault,
  });

  const areas = new Areas(feeds, fault);

  function setDeck(next: Deck): void {
    cancelLive?.();
    cancelLive = undefined;
    deck.set(next);
    cache?.saveDeck(next);
  }

  let cancelLive: (() => void) | undefined;

  function receiveRow(row: SessionRow): void {
    const before = rows.get(row.id);
    const next = rows.rows({ type: 'rows', rows: [row] });
    if (!before || !isOnlyLive(before, row)) receiveRows(next);
    else
      cancelLive ??= clock.after(LIVE_MS, () => {
        cancelLive = undefined;
        setDeck(rows.deck());
      });
  }

  function receiveRows(next: Deck): void {
    const wasPart = deck.get()?.more;
    setDeck(next);
    if (wasPart && !next.more) void cache?.prune(next);
  }

  function online(welcome: Welcome): void {
    limited.set(welcome.limited === true);
    canPush.set(welcome.push === true);
    layout.set({ text: welcome.layout });
    if (welcome.keys) keys.set(welcome.keys);
    if (welcome.choices) choices.set(welcome.choices);
    setDeck(rows.welcome(welcome.deck));
    if (!welcome.deck.more) void cache?.prune(welcome.deck);
    // Sessions created while offline must exist before they are opened.
    requests.online();
    drafts.online(welcome.drafts);
    conversations.online();
    feeds.online();
  }

  function lost(): void {
    requests.lost();
    drafts.lost();
    conversations.lost();
    feeds.lost();
  }

  function receiveDeck(message: DeckMessage): void {
    switch (message.type) {
      case 'deck':
        setDeck(rows.head(message.deck));
        feeds.listed(
          new Set([...message.deck.projects, ...(message.deck.workspaces ?? [])].map(({ id }) => id)),
        );
        return;
      case 'session':
        receiveRow(message.row);
        conversations.listed([message.row.id]);
        return;
      case 'rows':
        receiveRows(rows.rows(message));
        conversations.listed(message.rows.map(({ id }) => id));
        return;
      case 'done':
        requests.receive(message);
        return;
      case 'error':
        if (message.re !== undefined) requests.receive(message);
        else if (message.channel !== undefined) {
          const error = codedError(message.code, message.message, message.hint);
          conversations.fail(message.channel, error);
          feeds.fail(message.channel, error);
        } else fault(`server: ${message.code} ${message.message}`);
        return;
      case 'keys':
        keys.set(message);
        return;
      case 'show':
        requestedProject.set(message.project);
        return;
      case 'welcome':
        return;
    }
  }

  status.subscribe(() => {
    if (status.get().state !== 'signed-out') return;
    void cache?.signedOut();
    drafts.removeSaved();
  });
  cache?.deck().then((cached) => {
    if (!cached || deck.get()) return;
    rows.restore(cached);
    deck.set(cached);
  }, fault);
  conversations.deliverStored();
  connection.connect();

  return {
    status,
    deck,
    requestedProject,
    layout,
    keys,
    choices,
    limited,
    canPush,
    faults,
    request: (request) => requests.send(request, { persistent: true }),
    conversation: (session) => conversations.hold(session),
    openArea: (area, about) => areas.open(area, about),
    draft: (session) => drafts.get(session),
    saveDraft: (session, text) => drafts.set(session, text),
    reconnect: () => connection.reconnect(),
    checkConnection: () => connection.checkLink(),
    dispose() {
      cancelLive?.();
      connection.dispose();
      conversations.dispose();
      feeds.dispose();
      drafts.dispose();
      requests.dispose();
    },
  };
}

/** Whether nothing but live lines and counts differs, which change all the time while agents work. */
function isOnlyLive(before: SessionRow, after: SessionRow): boolean {
  return JSON.stringify(withoutLive(before)) === JSON.stringify(withoutLive(after));
}

function withoutLive({ activeAt: _, summary, ...row }: SessionRow): object {
  if (!summary) return row;
  const { v, entries, changedAt, usage, activity, todos, changes, ...state } = summary;
  return { ...row, state };
}

function pageStorage(fault: (why: string) => void): DraftStorage | undefined {
  try {
    return localStorage;
  } catch (error) {
    // The browser may forbid it; drafts are then only on the server.
    fault(`storage: ${String(error)}`);
    return undefined;
  }
}
