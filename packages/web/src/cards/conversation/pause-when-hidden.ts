/**
 * Wraps a channel so that it emits nothing while its card is hidden (D3). When the card comes to the front,
 * subscribers that missed a change are notified before the next frame. Reading and sending are unaffected.
 */
import type { ConversationChannel } from '@tugdeck/client/conversation-channel';
import type { Readable } from '@tugdeck/client/store';

export function pauseWhenHidden(
  channel: ConversationChannel,
  frame: Readable<{ readonly isVisible: boolean }>,
): ConversationChannel {
  const entries = new Map<string, ReturnType<ConversationChannel['entry']>>();
  // Components that render for another reason see the last shown state too.
  const held = <T>(source: Readable<T>) => {
    let last: { readonly value: T } | undefined;
    return () => {
      if (!last || frame.get().isVisible) last = { value: source.get() };
      return last.value;
    };
  };
  const quiet = <T>(source: Readable<T>, forget: () => void = () => undefined): Readable<T> => {
    let listeners = 0;
    return {
      get: held(source),
      subscribe(listener) {
        listeners += 1;
        let hasMissed = false;
        const notify = () => {
          hasMissed = !frame.get().isVisible;
          if (!hasMissed) listener();
        };
        const offs = [source.subscribe(notify), frame.subscribe(() => hasMissed && notify())];
        return () => {
          for (const off of offs) off();
          listeners -= 1;
          if (listeners === 0) forget();
        };
      },
    };
  };
  return {
    session: channel.session,
    view: quiet(channel.view),
    fault: quiet(channel.fault),
    entry(id) {
      // Cached only while subscribed: a page that is open all day sees many entries.
      const known = entries.get(id) ?? quiet(channel.entry(id), () => entries.delete(id));
      entries.set(id, known);
      return known;
    },
    find: (id) => channel.find(id),
    send: (command) => channel.send(command),
    preview: (of) => channel.preview(of),
    query: (what, input) => channel.query(what, input),
    loadOlder: () => channel.loadOlder(),
    retainOlder: () => channel.retainOlder(),
    trimOlder: () => channel.trimOlder(),
    wake: () => channel.wake(),
    release: () => channel.release(),
  };
}
