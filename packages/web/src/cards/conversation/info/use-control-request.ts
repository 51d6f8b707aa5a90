import type { CommandEntry } from '@tugdeck/protocol/conversation/entries';
import { useState } from 'react';
import { useCard } from '../../../features/conversation/card-context.tsx';
import { requestControl } from '../../../features/conversation/request-control.ts';
import { faultText } from '../../../kit/deck-actions.ts';

export interface ControlRequest {
  /** One request at a time; undefined if the agent refused or failed. */
  readonly request: (
    what: string,
    input?: Readonly<Record<string, unknown>>,
  ) => Promise<CommandEntry | undefined>;
  readonly isPending: boolean;
  readonly fault: string | undefined;
}

/** Sends control requests to the agent and reports errors. */
export function useControlRequest(): ControlRequest {
  const { channel } = useCard();
  const [isPending, setPending] = useState(false);
  const [fault, setFault] = useState<string>();
  const request: ControlRequest['request'] = async (what, input = {}) => {
    setPending(true);
    setFault(undefined);
    try {
      const entry = await requestControl(channel, what, input);
      if (entry.status === 'complete') return entry;
      setFault(entry.text);
    } catch (error) {
      setFault(faultText(error));
    } finally {
      setPending(false);
    }
    return undefined;
  };
  return { request, isPending, fault };
}
