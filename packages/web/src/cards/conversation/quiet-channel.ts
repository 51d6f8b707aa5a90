/**
 * A channel that says nothing while its card is hidden (D3): what is not seen is not drawn. When the card comes
 * forward everybody who missed something is told before the next frame. Reading and sending go on as ever.
 */
import type { ConversationChannel } from '@tugdeck/client/conversation-channel';
import type { Readable } from '@tugdeck/client/store';

export function quietChannel(
  channel: ConversationChannel,
  frame: Readable<{ readonly isVisible: boolean }>,
): ConversationChannel {
  const quiet = <T>(source: Readable<T>): Readable<T> => ({
    get: () => source.get(),
    subscribe(listener) {
      let hasMissed = false;
      const tell = () => {
        hasMissed = !frame.get().isVisible;
        if (!hasMissed) listener();
      };
      const offs = [source.subscribe(tell), frame.subscribe(() => hasMissed && tell())];
      return () => {
        for (const off of offs) off();
      };
    },
  });
  return {
    session: channel.session,
    view: quiet(channel.view),
    fault: quiet(channel.fault),
    entry: (id) => quiet(channel.entry(id)),
    send: (command) => channel.send(command),
    loadOlder: () => channel.loadOlder(),
    wake: () => channel.wake(),
    release: () => channel.release(),
  };
}
