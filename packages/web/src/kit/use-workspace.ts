import type { WorkspaceRow } from '@tugdeck/protocol/workspaces/workspace';
import { useClient } from './client-context.tsx';
import { useSelected } from './use-readable.ts';

export function useWorkspace(id: string | undefined): WorkspaceRow | undefined {
  return useSelected(useClient().deck, (deck) =>
    id === undefined ? undefined : deck?.workspaces?.find((one) => one.id === id),
  );
}
