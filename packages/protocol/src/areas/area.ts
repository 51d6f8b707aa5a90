/**
 * Typed areas: the contract between a card and the code that serves it. An area is opened about something (a project, a
 * session), pushes its state and events, and answers calls. It travels in the envelopes of `wire/feeds`: a call is
 * `{ type: name, ...input }`, the state is pushed as `{ state }`, an event as itself. The compiler checks both sides;
 * `serveArea` validates what a page sends, the client validates what it receives.
 */
import { z } from 'zod';

export interface AreaShape {
  readonly about: z.ZodObject;
  /** Pushed complete, after opening and after each change. A reply with the same schema is the new state, too. */
  readonly state?: z.ZodType;
  /** Other pushes: things that happen and that no state describes. */
  readonly events?: z.ZodType;
  readonly calls: Readonly<Record<string, { readonly input: z.ZodObject; readonly output: z.ZodType }>>;
  /** Raw bytes beside the calls. Such an area has a channel per user; others share one. */
  readonly bytes?: true;
  /** The messages of areas that are older than this contract. New areas leave it out. */
  readonly wire?: {
    /** The field with the call's name, if it is not `type`. */
    readonly tag?: string;
    /** The only call; requests do not name it. */
    readonly only?: string;
    /** The field with a pushed state, if it is not `state`. */
    readonly state?: string;
    /** The call that reads the state, because the server does not push it after opening. */
    readonly read?: string;
  };
}

export type Area = AreaShape & { readonly name: string };

/** `name` must not be renamed: pages and servers of other versions know it. */
export function defineArea<const Shape extends AreaShape>(
  name: string,
  shape: Shape,
): Shape & { readonly name: string } {
  return { name, ...shape };
}

/** In the `about` of an area without a project or session: the machine that serves it, if it is another one (N7). */
export const onMachine = { machine: z.string().min(1).max(100).optional() };

/** Input of a call that needs none. */
export const nothing = z.object({});
/** Output of a call that only succeeds or fails. The reply's value is ignored: earlier servers sent various. */
export const done = z.unknown().transform((): void => undefined);

/** The fields that name calls and states in this area's messages. */
export function wireOf(area: Area) {
  const { tag = 'type', only, state = 'state', read } = area.wire ?? {};
  return { tag, only, state, read };
}

export type AboutOf<A extends Area> = z.output<A['about']>;
export type AboutInput<A extends Area> = z.input<A['about']>;
export type StateOf<A extends Area> = A extends { readonly state: infer S extends z.ZodType }
  ? z.output<S>
  : undefined;
export type EventOf<A extends Area> = A extends { readonly events: infer E extends z.ZodType }
  ? z.output<E>
  : never;
export type CallName<A extends Area> = keyof A['calls'] & string;
/** As the caller passes it; fields with a default may be left out. */
export type CallInput<A extends Area, K extends CallName<A>> = z.input<A['calls'][K]['input']>;
/** As the handler receives it. */
export type ParsedInput<A extends Area, K extends CallName<A>> = z.output<A['calls'][K]['input']>;
export type CallOutput<A extends Area, K extends CallName<A>> = z.output<A['calls'][K]['output']>;
/** The arguments after a call's name: none if every field of its input is optional. */
export type CallArguments<A extends Area, K extends CallName<A>> =
  Record<never, never> extends CallInput<A, K> ? [input?: CallInput<A, K>] : [input: CallInput<A, K>];
