/**
 * View of a session that only a running agent listed: it cannot be read before it is resumed, and a notice says so.
 */
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
      text: 'Only the agent has this conversation. Send a message to continue it.',
    },
  });
  const snapshot = takeSnapshot({ ...state, edition: `listed-${session}` }, { tail: 1, receipts: false });
  return {
    send(request) {
      if (request.type !== 'follow') return;
      send([JSON.stringify({ type: 'snapshot', snapshot } satisfies HostMessage)]);
    },
    close: () => undefined,
  };
}
