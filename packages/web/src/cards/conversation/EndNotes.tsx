import { ArrowDown } from 'lucide-react';
import { Button } from '../../ui/Button.tsx';
import { Icon } from '../../ui/Icon.tsx';

export interface EndNotesProps {
  /** The stored position is still searched for. */
  isSeeking: boolean;
  /** Rows added below; undefined while the list follows its end. */
  fresh: number | undefined;
  onEnd: () => void;
}

/** Over the end of the list: a note while the last position is found, and the way back to the end. */
export function EndNotes({ isSeeking, fresh, onEnd }: EndNotesProps) {
  if (isSeeking)
    return (
      <p className="seeking" role="status">
        Finding your place…
      </p>
    );
  if (fresh === undefined) return null;
  return (
    <Button className="to-end" onClick={onEnd}>
      <Icon icon={ArrowDown} size={14} />
      {fresh > 0 ? `${fresh} new` : 'Jump to latest'}
    </Button>
  );
}
