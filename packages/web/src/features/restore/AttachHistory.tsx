import { useState } from 'react';
import { faultText } from '../../kit/deck-actions.ts';
import { Button } from '../../ui/Button.tsx';
import { useCard } from '../conversation/card-context.tsx';

/** At the divider above which the agent knows nothing (H9): attaches the earlier conversation as text. */
export function AttachHistory({ before }: { before: number }) {
  const { channel } = useCard();
  const [state, setState] = useState<'idle' | 'busy' | { fault: string }>('idle');
  const start = async (button: HTMLElement) => {
    setState('busy');
    // The composer of this card, not of a neighboring one.
    const card = button.closest('.card');
    const box = card?.querySelector<HTMLTextAreaElement>('textarea[aria-label="Message"]') ?? null;
    try {
      const { attachHistory } = await import('./attach-history.ts');
      await attachHistory(channel, before, box);
      setState('idle');
    } catch (error) {
      setState({ fault: faultText(error) });
    }
  };
  return (
    <>
      <Button look="link" disabled={state === 'busy'} onClick={(event) => start(event.currentTarget)}>
        Attach the transcript
      </Button>
      {typeof state === 'object' ? (
        <span className="fault" role="alert">
          {state.fault}
        </span>
      ) : null}
    </>
  );
}
