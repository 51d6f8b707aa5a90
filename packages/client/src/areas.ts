/**
 * The typed areas this page has open (protocol/areas/area). Users of the same area about the same thing share a
 * channel, which closes with its last user. Replies and pushes pass the area's schemas here and nowhere else; one that
 * does not match is counted as a fault and breaks nothing else.
 */
import {
  type AboutInput,
  type Area,
  type CallArguments,
  type CallName,
  type CallOutput,
  type EventOf,
  type StateOf,
  wireOf,
} from '@tugdeck/protocol/areas/area';
import { SharedValues } from '@tugdeck/protocol/shared-values';
import { ClientError, codedError, disposedError } from './client-error.ts';
import type { FeedChannel, Feeds } from './feeds.ts';
import { type Cell, createCell, FrameQueue, type Readable } from './store.ts';

export interface AreaView<State> {
  /** Undefined until it arrives; the last one while the connection is lost. */
  readonly state: State | undefined;
  readonly isLost: boolean;
  /** Why the area cannot be opened, or its state not be read. */
  readonly fault: ClientError | undefined;
  /** How often it was opened. */
  readonly opened: number;
}

export interface AreaChannel<A extends Area> {
  readonly about: AboutInput<A>;
  readonly view: Readable<AreaView<StateOf<A>>>;
  /** Waits while the area is opening; rejects with a ClientError. */
  call<K extends CallName<A>>(name: K, ...input: CallArguments<A, K>): Promise<CallOutput<A, K>>;
  onEvent(listener: (event: EventOf<A>) => void): () => void;
  /** Called after each opening from now on: what was requested before may be outdated. */
  onOpen(listener: () => void): () => void;
  onBytes(listener: (data: Uint8Array) => void): () => void;
  /** Returns whether the bytes were sent; they are never queued. */
  sendBytes(data: Uint8Array): boolean;
  /** Also ends the subscriptions made through this channel. */
  close(): void;
}

interface OpenArea {
  readonly area: Area;
  readonly feed: FeedChannel;
  readonly view: Cell<AreaView<unknown>>;
  readonly events: Set<(event: never) => void>;
  readonly end: () => void;
}

const CLOSED: AreaView<undefined> = { state: undefined, isLost: false, fault: undefined, opened: 0 };

export class Areas {
  readonly #feeds: Pick<Feeds, 'open'>;
  readonly #fault: (why: string) => void;
  readonly #shared = new SharedValues<string | symbol, OpenArea>(({ end }) => end());

  constructor(feeds: Pick<Feeds, 'open'>, fault: (why: string) => void) {
    this.#feeds = feeds;
    this.#fault = fault;
  }

  open<A extends Area>(area: A, about: AboutInput<A>): AreaChannel<A> {
    const key = area.bytes ? Symbol(area.name) : `${area.name} ${JSON.stringify(about)}`;
    const { value: open, release } = this.#shared.hold(key, () => this.#start(area, about));
    const leave = new Set<() => void>();
    let isClosed = false;
    const own = (end: () => void) => {
      leave.add(end);
      return () => {
        leave.delete(end);
        end();
      };
    };
    return {
      about,
      view: {
        get: () => open.view.get() as AreaView<StateOf<A>>,
        subscribe: (listener) => own(open.view.subscribe(listener)),
      },
      call: (name, ...[input]) =>
        isClosed
          ? Promise.reject(disposedError())
          : (this.#call(open, name, input) as Promise<CallOutput<A, typeof name>>),
      onEvent: (listener) => {
        const called = (event: EventOf<A>) => listener(event);
        open.events.add(called);
        return own(() => open.events.delete(called));
      },
      onOpen: (listener) => {
        let known = open.view.get().opened;
        return own(
          open.view.subscribe(() => {
            const { opened } = open.view.get();
            if (opened === known) return;
            known = opened;
            listener();
          }),
        );
      },
      onBytes: (listener) => own(open.feed.onBytes(listener)),
      sendBytes: (data) => open.feed.sendBytes(data),
      close: () => {
        if (isClosed) return;
        isClosed = true;
        for (const end of leave) end();
        release();
      },
    };
  }

  #start(area: Area, about: Readonly<Record<string, unknown>>): OpenArea {
    const feed = this.#feeds.open(area.name, about);
    // Feeds notify once per frame already.
    const view = createCell<AreaView<unknown>>(CLOSED, new FrameQueue((run) => run()));
    const unpush = feed.onPush((push) => this.#receive(open, push));
    const unwatch = feed.state.subscribe(() => this.#changed(open));
    const open: OpenArea = {
      area,
      feed,
      view,
      events: new Set(),
      end: () => {
        unpush();
        unwatch();
        feed.close();
      },
    };
    return open;
  }

  #changed(open: OpenArea): void {
    const state = open.feed.state.get();
    if (state instanceof ClientError) set(open, { fault: state, isLost: false });
    else if (state !== 'open') set(open, { isLost: state === 'lost' });
    else {
      set(open, { isLost: false, fault: undefined, opened: open.view.get().opened + 1 });
      const { read } = wireOf(open.area);
      if (read !== undefined) this.#call(open, read).catch((error) => failed(open, error));
    }
  }

  async #call(open: OpenArea, name: string, input?: object): Promise<unknown> {
    const { area, feed } = open;
    const { tag, only } = wireOf(area);
    const reply = await feed.request(only === name ? { ...input } : { ...input, [tag]: name });
    const output = area.calls[name]?.output;
    const parsed = output?.safeParse(reply);
    if (!parsed?.success) {
      this.#fault(`${area.name} ${name}: ${parsed?.error.issues[0]?.path.join('.') || 'reply'}`);
      throw codedError('INTERNAL_ERROR', 'The server sent an unexpected reply.', 'Reload the page.');
    }
    if (output === area.state) set(open, { state: parsed.data, fault: undefined });
    return parsed.data;
  }

  #receive(open: OpenArea, push: unknown): void {
    const { area } = open;
    const { state } = wireOf(area);
    if (area.state && typeof push === 'object' && push !== null && state in push) {
      const parsed = area.state.safeParse((push as Record<string, unknown>)[state]);
      if (parsed.success) set(open, { state: parsed.data, fault: undefined });
      else this.#fault(`${area.name}: pushed ${state} ${parsed.error.issues[0]?.path.join('.') ?? ''}`);
      return;
    }
    const parsed = area.events?.safeParse(push);
    if (parsed?.success) for (const listener of [...open.events]) listener(parsed.data as never);
    else this.#fault(`${area.name}: unknown push`);
  }
}

/** A lost connection is not a fault: the state is read again after the next opening. */
function failed(open: OpenArea, error: unknown): void {
  const fault = error instanceof ClientError ? error : codedError('INTERNAL_ERROR', String(error));
  if (fault.code !== 'CONNECTION_LOST' && fault.code !== 'DISPOSED') set(open, { fault });
}

function set(open: OpenArea, change: Partial<AreaView<unknown>>): void {
  open.view.set({ ...open.view.get(), ...change });
}
