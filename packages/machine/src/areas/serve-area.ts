/**
 * Serves a typed area (protocol/areas/area): an object with a function per call. What the page sends is validated here
 * and nowhere else; replies, states and events are checked by the compiler. `page-feeds.ts` handles envelopes, channels
 * and limits.
 */
import {
  type AboutOf,
  type Area,
  type CallName,
  type CallOutput,
  type EventOf,
  type ParsedInput,
  type StateOf,
  wireOf,
} from '@tugdeck/protocol/areas/area';
import { CodedError } from '@tugdeck/protocol/wire/errors';

/** Sends to one page over one channel. */
export interface PageOut {
  push(message: unknown): void;
  /** Raw bytes; only of areas with `bytes`. */
  bytes(data: Uint8Array): void;
  /** The page reads more slowly than we send: updates that can be merged should wait. */
  readonly congested: boolean;
  /** The sign-in of the page's connection. */
  readonly signIn: string;
}

export interface AreaOut<A extends Area> extends Omit<PageOut, 'push'> {
  state(state: StateOf<A>): void;
  emit(event: EventOf<A>): void;
}

/** Returns the reply. A `CodedError` becomes a refusal; any other error is reported as a bug. */
export type Handler<A extends Area, K extends CallName<A>> = (
  input: ParsedInput<A, K>,
) => CallOutput<A, K> | Promise<CallOutput<A, K>>;

interface ChannelEvents {
  /** Raw bytes from the page; only of areas with `bytes`. */
  bytes?(data: Uint8Array): void;
  /** The page's socket is full (S3); `resume` is called once it has drained. */
  pause?(): void;
  resume?(): void;
  close?(): void;
}

/** One page's use of an area. */
export interface AreaSession<A extends Area> extends ChannelEvents {
  readonly calls: { readonly [K in CallName<A>]: Handler<A, K> };
}

/** An area with its types erased, for the list of all areas. */
export interface ServedArea {
  readonly name: string;
  /** Throws a `CodedError` if the subject does not exist, a `ZodError` if it does not match the schema. */
  open(about: unknown, out: PageOut): ServedSession;
}

export interface ServedSession extends ChannelEvents {
  /** Rejects with a `ZodError` for input that does not match the call's schema. */
  call(message: Readonly<Record<string, unknown>>): Promise<unknown>;
  close(): void;
}

/** `open` throws a `CodedError` if the subject does not exist. A new area pushes its state in `open`. */
export function serveArea<A extends Area>(
  area: A,
  open: (about: AboutOf<A>, out: AreaOut<A>) => AreaSession<A>,
): ServedArea {
  const { tag, only, state: stateField } = wireOf(area);
  return {
    name: area.name,
    open(about, out) {
      const session = open(area.about.parse(about) as AboutOf<A>, {
        state: (state) => out.push({ [stateField]: state }),
        emit: (event) => out.push(event),
        bytes: out.bytes,
        signIn: out.signIn,
        get congested() {
          return out.congested;
        },
      });
      const handlers = session.calls as Readonly<Record<string, (input: unknown) => unknown>>;
      return {
        async call({ [tag]: tagged, ...rest }) {
          const name = only ?? tagged;
          if (typeof name !== 'string' || !Object.hasOwn(area.calls, name))
            throw new CodedError('INVALID_MESSAGE', `${tag}: unknown call`);
          return handlers[name]?.(area.calls[name]?.input.parse(rest));
        },
        bytes: (data) => session.bytes?.(data),
        pause: () => session.pause?.(),
        resume: () => session.resume?.(),
        close: () => session.close?.(),
      };
    },
  };
}
