/** Conflicts with the base, and the ways to solve them in the workspace (B44). */
import { newId } from '@tugdeck/client/new-id';
import { git } from '@tugdeck/protocol/areas/git';
import type { workspaces } from '@tugdeck/protocol/areas/workspaces';
import type { LandPreview, LandRequest } from '@tugdeck/protocol/workspaces/landing';
import type { WorkspaceRow } from '@tugdeck/protocol/workspaces/workspace';
import { useState } from 'react';
import { withTrust } from '../../kit/ask-trust.ts';
import { useClient } from '../../kit/client-context.tsx';
import { openCard } from '../../kit/layout/open-card.ts';
import { usableAgent } from '../../kit/projects.ts';
import { showSession } from '../../kit/route.ts';
import type { UsedArea } from '../../kit/use-area.ts';
import { useReadable } from '../../kit/use-readable.ts';
import { visiblePath, visibleText } from '../../kit/visible-text.ts';
import { Button } from '../../ui/Button.tsx';
import { conflictPrompt } from './land-text.ts';

export interface LandConflictsProps {
  row: WorkspaceRow;
  preview: LandPreview;
  area: UsedArea<typeof workspaces>;
  request: LandRequest | undefined;
  onClose: () => void;
}

export function LandConflicts({ row, preview, area, request, onClose }: LandConflictsProps) {
  const client = useClient();
  const deck = useReadable(client.deck);
  const [isBusy, setBusy] = useState(false);
  const { unfinished } = preview;
  const files = unfinished?.conflicts ?? preview.conflicts ?? [];
  if (files.length === 0 && !unfinished) return null;
  const session = deck?.sessions
    .filter((one) => one.workspace === row.id && !one.archived && one.trashedAt === undefined)
    .sort((a, b) => b.activeAt - a.activeAt)[0];
  const agent = session?.agent ?? (deck && usableAgent(deck));
  const label = deck?.agents.find(({ name }) => name === agent)?.label ?? 'agent';

  /** Brings the base in, unless that is done, and then acts on the conflicts. */
  const act = async (then: () => Promise<void> | void) => {
    setBusy(true);
    const isDone = await area.act(async (channel) => {
      if (!unfinished && request) await channel.call('land.bring', { workspace: row.id, ...request });
      await then();
    });
    setBusy(false);
    if (isDone) onClose();
  };
  const send = async () => {
    const target = session?.id ?? newId();
    if (!session) {
      if (agent === undefined) throw new Error('No agents installed');
      const workspace = { id: row.id };
      await withTrust(row.id, agent, () =>
        client.request({ type: 'session.create', session: target, project: row.project, agent, workspace }),
      );
    }
    const channel = client.conversation(target);
    try {
      await channel.send({ kind: 'prompt.send', text: conflictPrompt(preview) });
    } finally {
      channel.release();
    }
    showSession(target);
  };
  const abort = () =>
    act(async () => {
      const channel = client.openArea(git, { project: row.id });
      try {
        await channel.call('abort', { confirmed: true });
      } finally {
        channel.close();
      }
    });
  return (
    <>
      <ul className="land-files" aria-label="Conflicts">
        {files.slice(0, 20).map((path) => (
          <li key={path}>{visiblePath(path)}</li>
        ))}
      </ul>
      <div className="land-buttons">
        <Button disabled={isBusy} onClick={() => void act(send)}>
          Send to {visibleText(label)}
        </Button>
        <Button disabled={isBusy} onClick={() => void act(() => void openCard('git', { project: row.id }))}>
          Open conflicts
        </Button>
        {unfinished ? (
          <Button look="quiet" disabled={isBusy} onClick={() => void abort()}>
            Abort {unfinished.operation}
          </Button>
        ) : null}
      </div>
    </>
  );
}
