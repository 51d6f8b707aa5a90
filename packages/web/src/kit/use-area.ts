/** Typed areas in React: `useArea` opens one while the component is mounted, `useReply` keeps the reply of a call. */
import type { AreaChannel, AreaView } from '@tugdeck/client/areas';
import type {
  AboutInput,
  Area,
  CallInput,
  CallName,
  CallOutput,
  EventOf,
  StateOf,
} from '@tugdeck/protocol/areas/area';
import { useCallback, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { useClient } from './client-context.tsx';
import { faultText } from './deck-actions.ts';

export interface UsedArea<A extends Area> extends Omit<AreaView<StateOf<A>>, 'fault'> {
  /** Why it cannot be opened, or why the last call of `act` failed. */
  readonly fault: string | undefined;
  /** Undefined until the component is mounted. */
  readonly channel: AreaChannel<A> | undefined;
  /** Performs a call; shows an error as `fault`. Resolves with whether it succeeded. */
  readonly act: (call: (channel: AreaChannel<A>) => Promise<unknown>) => Promise<boolean>;
}

const CLOSED: AreaView<never> = { state: undefined, isLost: false, fault: undefined, opened: 0 };
const NEVER = () => () => undefined;

/** `about` undefined: not opened. `onEvent` may change between renders. */
export function useArea<A extends Area>(
  area: A,
  about: AboutInput<A> | undefined,
  onEvent?: (event: EventOf<A>) => void,
): UsedArea<A> {
  const client = useClient();
  const key = about === undefined ? undefined : JSON.stringify(about);
  const [channel, setChannel] = useState<AreaChannel<A>>();
  const [failed, setFailed] = useState<string>();
  const listener = useRef(onEvent);
  listener.current = onEvent;

  useEffect(() => {
    if (key === undefined) return;
    const opened = client.openArea(area, JSON.parse(key) as AboutInput<A>);
    opened.onEvent((event) => listener.current?.(event));
    setChannel(opened);
    return () => {
      opened.close();
      setChannel(undefined);
    };
  }, [client, area, key]);

  const act = useCallback<UsedArea<A>['act']>(
    async (call) => {
      if (!channel) return false;
      setFailed(undefined);
      try {
        await call(channel);
        return true;
      } catch (error) {
        setFailed(faultText(error));
        return false;
      }
    },
    [channel],
  );
  const view = useSyncExternalStore<AreaView<StateOf<A>>>(
    channel?.view.subscribe ?? NEVER,
    channel?.view.get ?? (() => CLOSED),
  );
  const fault = view.fault ? faultText(view.fault) : failed;
  return { ...view, fault, channel, act };
}

export interface Reply<T> {
  /** The last one stays until the next arrives. */
  readonly value: T | undefined;
  readonly fault: string | undefined;
}

/** Calls when the area opens, when `input` changes and when `when` changes. */
export function useReply<A extends Area, K extends CallName<A>>(
  channel: AreaChannel<A> | undefined,
  name: K,
  input: CallInput<A, K>,
  when?: unknown,
): Reply<CallOutput<A, K>> {
  const [reply, setReply] = useState<Reply<CallOutput<A, K>>>({ value: undefined, fault: undefined });
  const key = JSON.stringify(input);
  const opened = useSyncExternalStore(
    channel?.view.subscribe ?? NEVER,
    () => channel?.view.get().opened ?? 0,
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: `opened` and `when` signal that the reply may have changed
  useEffect(() => {
    if (!channel || opened === 0) return;
    let isWanted = true;
    const call = channel.call as (name: K, input: CallInput<A, K>) => Promise<CallOutput<A, K>>;
    call(name, JSON.parse(key)).then(
      (value) => isWanted && setReply({ value, fault: undefined }),
      (error) => isWanted && setReply((old) => ({ ...old, fault: faultText(error) })),
    );
    return () => {
      isWanted = false;
    };
  }, [channel, opened, name, key, when]);
  return reply;
}
