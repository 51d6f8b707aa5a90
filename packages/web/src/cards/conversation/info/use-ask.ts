import type { CommandEntry } from '@tugdeck/protocol/conversation/entries';
import { useState } from 'react';
import { faultText } from '../../../app/deck-actions.ts';
import { useCard } from '../card-context.tsx';
import { askControl } from '../entries/control-answer.ts';

export interface Ask {
  /** One at a time; undefined where the agent refused or could not. */
  readonly ask: (
    what: string,
    input?: Readonly<Record<string, unknown>>,
  ) => Promise<CommandEntry | undefined>;
  readonly isAsking: boolean;
  readonly fault: string | undefined;
}

/** Asks the agent beside the conversation, and says what went wrong. */
export function useAsk(): Ask {
  const { channel } = useCard();
  const [isAsking, setAsking] = useState(false);
  const [fault, setFault] = useState<string>();
  const ask: Ask['ask'] = async (what, input = {}) => {
    setAsking(true);
    setFault(undefined);
    try {
      const entry = await askControl(channel, what, input);
      if (entry.status === 'complete') return entry;
      setFault(entry.text);
    } catch (error) {
      setFault(faultText(error));
    } finally {
      setAsking(false);
    }
    return undefined;
  };
  return { ask, isAsking, fault };
}
