/** A session that only a running agent told of: nothing of it can be read before it is gone on with, and that is said. */
import { fold } from '@tugdeck/protocol/conversation/fold';
import { EMPTY } from '@tugdeck/protocol/conversation/state';
import { takeSnapshot } from '@tugdeck/protocol/conversation/window';
import type { HostMessage } from '@tugdeck/protocol/wire/host-link';
import type { ExternalView } from './reader-process.ts';

export function listedView(session: string, send: (lines: readonly string[]) => void): ExternalView {
  const state = fold(EMPTY, {
    kind: 'entry.opened',
    v: 1,
    at: 0,
    entry: {
      id: 'notice-only-the-agent',
      kind: 'notice',
      status: 'complete',
      notice: 'info',
      level: 'info',
      text: 'Only the agent has what was said here. Send a message to go on with it.',
    },
  });
  const snapshot = takeSnapshot({ ...state, edition: `listed-${session}` }, { tail: 1, receipts: false });
  return {
    ask(request) {
      if (request.type !== 'follow') return;
      send([JSON.stringify({ type: 'snapshot', snapshot } satisfies HostMessage)]);
    },
    close: () => undefined,
  };
}
