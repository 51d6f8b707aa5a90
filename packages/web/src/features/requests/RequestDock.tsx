import type { RequestEntry } from '@tugdeck/protocol/conversation/entries';
import { CircleAlert } from 'lucide-react';
import { useReadable } from '../../kit/use-readable.ts';
import { Icon } from '../../ui/Icon.tsx';
import { useCard } from '../conversation/card-context.tsx';
import { useDirectory } from '../conversation/project-paths.ts';
import { requestSummary } from './request-summary.ts';

export interface RequestDockProps {
  requests: readonly RequestEntry[];
  onShow: (id: string) => void;
}

/** Link to the oldest open request that is off screen. Overlays the list, so that nothing moves. */
export function RequestDock({ requests, onShow }: RequestDockProps) {
  const { onScreen } = useCard();
  const directory = useDirectory();
  const seen = useReadable(onScreen);
  const hidden = requests.filter(({ id }) => !seen.has(id));
  const [first] = hidden;
  if (!first) return null;
  return (
    <button type="button" className="request-dock" onClick={() => onShow(first.id)}>
      <Icon icon={CircleAlert} />
      <span className="truncate">Needs you: {requestSummary(first, directory)}</span>
      {hidden.length > 1 ? <span className="request-dock-more">and {hidden.length - 1} more</span> : null}
    </button>
  );
}
