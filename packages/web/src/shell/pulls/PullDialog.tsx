/** The pull request of a workspace: creates one (B53), or shows its state (B55). */
import './pulls.css';
import { useClient } from '../../kit/client-context.tsx';
import { useReadable } from '../../kit/use-readable.ts';
import { CreatePull } from './CreatePull.tsx';
import { ShowPull } from './ShowPull.tsx';

export interface PullDialogProps {
  workspace: string;
  session?: string | undefined;
  onClose: () => void;
}

export function PullDialog({ workspace, session, onClose }: PullDialogProps) {
  const deck = useReadable(useClient().deck);
  const row = deck?.workspaces?.find(({ id }) => id === workspace);
  if (!row) return null;
  if (row.pull) return <ShowPull row={row} pull={row.pull} session={session} onClose={onClose} />;
  return <CreatePull row={row} onClose={onClose} />;
}
