/**
 * Serves a typed area (protocol/areas/area): an object with a function per call. What the page sends is validated here
 * and nowhere else; replies, states and events are checked by the compiler. The gateway handles envelopes and limits.
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
import { problemOf } from '@tugdeck/protocol/wire/problem';
import { ZodError } from 'zod';
import { type AreaChannel, type AreaOutput, refusedChannel } from '../port.ts';

export interface AreaOut<A extends Area> extends Omit<AreaOutput, 'push'> {
  state(state: StateOf<A>): void;
  emit(event: EventOf<A>): void;
  /** The page reads more slowly than we send: updates that can be merged should wait. */
  readonly congested: boolean;
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
  open(about: unknown, out: AreaOutput): AreaChannel;
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
      let isOpen = true;
      let isPaused = false;
      const push = (message: unknown) => {
        if (isOpen) out.push(message);
      };
      const start = () =>
        open(area.about.parse(about) as AboutOf<A>, {
          state: (state) => push({ [stateField]: state }),
          emit: push,
          bytes: (data) => {
            if (isOpen) out.bytes(data);
          },
          signIn: out.signIn,
          get congested() {
            return isPaused;
          },
        });
      let session: AreaSession<A>;
      try {
        session = start();
      } catch (error) {
        return refusedChannel(coded(error));
      }
      const handlers = session.calls as Readonly<Record<string, (input: unknown) => unknown>>;
      return {
        opened: Promise.resolve(),
        async call({ [tag]: tagged, ...rest }) {
          const name = only ?? tagged;
          if (typeof name !== 'string' || !Object.hasOwn(area.calls, name))
            throw new CodedError('INVALID_MESSAGE', `${tag}: unknown call`);
          try {
            return await handlers[name]?.(area.calls[name]?.input.parse(rest));
          } catch (error) {
            throw coded(error);
          }
        },
        bytes: (data) => session.bytes?.(data),
        pause() {
          isPaused = true;
          session.pause?.();
        },
        resume() {
          isPaused = false;
          session.resume?.();
        },
        close() {
          isOpen = false;
          session.close?.();
        },
      };
    },
  };
}

/** Only coded errors can cross the port. */
function coded(error: unknown): unknown {
  return error instanceof ZodError ? new CodedError('INVALID_MESSAGE', problemOf(error)) : error;
}
