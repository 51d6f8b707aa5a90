/** In the foot of a new session's composer: where it will work (B1). */
import type { SessionRow } from '@tugdeck/protocol/wire/deck';
import type { WorkspaceStart } from '@tugdeck/protocol/workspaces/workspace';
import { ChevronDown, FolderGit2, GitBranch } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { provideAction } from '../../kit/action-runners.ts';
import { useClient } from '../../kit/client-context.tsx';
import { provideFirstMessage } from '../../kit/first-message.ts';
import { isActiveFrame, useCardFrame } from '../../kit/layout/card-frame.tsx';
import type { MenuChoice } from '../../kit/offered-actions.ts';
import { tryRequest } from '../../kit/try-request.ts';
import { useNow } from '../../kit/use-now.ts';
import { useReadable, useSelected } from '../../kit/use-readable.ts';
import { visibleText } from '../../kit/visible-text.ts';
import { Icon } from '../../ui/Icon.tsx';
import { Menu } from '../../ui/Menu.tsx';
import { otherAttempts } from './attempts.ts';
import { placeSession } from './place-session.ts';
import { planOf, rememberedStarts, rememberStart, type StartPlace, startPlace } from './start.ts';

export function useStartPlace(row: SessionRow): StartPlace {
  const deck = useReadable(useClient().deck);
  const plan = useReadable(planOf(row.id));
  const chosen = useReadable(rememberedStarts)[row.project];
  const now = useNow('half-minute');
  const isSeveral = useReadable(otherAttempts(row.id)).length > 0;
  if (isSeveral && plan && plan.refusal === undefined) return { kind: 'new' };
  return deck ? startPlace(deck, row, plan, chosen, now) : { kind: 'checkout' };
}

export function StartMenu({ row }: { row: SessionRow }) {
  const client = useClient();
  const deck = useReadable(client.deck);
  const plan = useReadable(planOf(row.id));
  const chosen = useReadable(rememberedStarts)[row.project] ?? plan?.start ?? 'auto';
  const place = useStartPlace(row);
  const isActive = useSelected(useCardFrame(), isActiveFrame);
  const { id: session, project } = row;

  const moveTo = (workspace: string | undefined) =>
    void tryRequest(client, {
      type: 'session.place',
      session,
      ...(workspace === undefined ? {} : { workspace: { id: workspace } }),
    });
  const choose = (start: WorkspaceStart) => {
    rememberStart(project, start);
    if (place.kind === 'existing') moveTo(undefined);
  };
  const toggle = () => choose(place.kind === 'new' ? 'checkout' : 'workspace');

  const latest = useRef(toggle);
  latest.current = toggle;
  useEffect(
    () => (isActive ? provideAction('workspace.toggle', () => latest.current()) : undefined),
    [isActive],
  );
  useEffect(
    () => provideFirstMessage(session, (prompt) => placeSession(client, session, prompt)),
    [client, session],
  );

  if (!deck || !plan) return null;
  const workspaces = (deck.workspaces ?? []).filter(
    (one) => one.project === project && one.state === 'ready',
  );
  const label = placeLabel(place, workspaces);
  const own: MenuChoice[] =
    plan.refusal === undefined
      ? [
          {
            id: 'auto',
            label: 'Automatic',
            detail: 'Your checkout, or a new workspace while another session works there',
            checked: place.kind !== 'existing' && chosen === 'auto',
            onChoose: () => choose('auto'),
          },
          {
            id: 'checkout',
            label: 'Your checkout',
            checked: place.kind !== 'existing' && chosen === 'checkout',
            onChoose: () => choose('checkout'),
          },
          {
            id: 'workspace',
            label: 'New workspace',
            detail: 'A git worktree with its own branch, created with the first message',
            checked: place.kind !== 'existing' && chosen === 'workspace',
            onChoose: () => choose('workspace'),
          },
        ]
      : [
          {
            id: 'none',
            label: 'Your checkout',
            detail: visibleText(plan.refusal),
            checked: true,
            onChoose: () => undefined,
          },
        ];
  return (
    <Menu
      label={`Workspace: ${label}`}
      title={`Where the session works: ${label} (Alt+W)`}
      className="picker"
      choices={[
        ...own,
        ...workspaces.map(({ id, name, branch }, index) => ({
          id,
          label: visibleText(name),
          detail: visibleText(branch ?? ''),
          checked: place.kind === 'existing' && place.workspace === id,
          isApart: index === 0,
          onChoose: () => moveTo(id),
        })),
      ]}
    >
      <Icon icon={place.kind === 'checkout' ? FolderGit2 : GitBranch} size={14} />
      <span className="truncate">{label}</span>
      <Icon icon={ChevronDown} size={12} />
    </Menu>
  );
}

function placeLabel(
  place: StartPlace,
  workspaces: readonly { readonly id: string; readonly name: string }[],
): string {
  if (place.kind === 'checkout') return 'Checkout';
  if (place.kind === 'new') return 'New workspace';
  return visibleText(workspaces.find(({ id }) => id === place.workspace)?.name ?? 'Workspace');
}
