/** Above the foot of a new session's composer: base and branch of the workspace that the message creates (B5, B6). */
import './workspaces.css';
import { workspaces as workspacesArea } from '@tugdeck/protocol/areas/workspaces';
import type { SessionRow } from '@tugdeck/protocol/wire/deck';
import { ChevronDown, GitBranch } from 'lucide-react';
import { useEffect } from 'react';
import { useClient } from '../../kit/client-context.tsx';
import { plural } from '../../kit/format.ts';
import { openShellDialog } from '../../kit/shell-dialog.ts';
import { useArea, useReply } from '../../kit/use-area.ts';
import { useNow } from '../../kit/use-now.ts';
import { useReadable, useSelected } from '../../kit/use-readable.ts';
import { visiblePath, visibleText } from '../../kit/visible-text.ts';
import { Button } from '../../ui/Button.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { Menu } from '../../ui/Menu.tsx';
import { otherAttempts, waitingText } from './attempts.ts';
import { useStartPlace } from './StartMenu.tsx';
import { branchFor, detailsOf, distanceText, planOf } from './start.ts';

const SHORT = 8;

export function StartLine({ row, text }: { row: SessionRow; text: string }) {
  const client = useClient();
  const area = useArea(workspacesArea, { project: row.project });
  const details = useReadable(detailsOf(row.id));
  const { base, withChanges } = details;
  const trust = useSelected(
    client.deck,
    (deck) => deck?.projects.find(({ id }) => id === row.project)?.trust,
  );
  const { value, fault } = useReply(area.channel, 'plan', base === undefined ? {} : { base }, trust);
  const { value: found } = useReply(area.channel, 'imports', {}, trust);
  const failed = useSelected(client.deck, (deck) =>
    deck?.workspaces?.find(({ id, state }) => id === row.workspace && state === 'failed'),
  );
  useEffect(() => planOf(row.id).set(value), [row.id, value]);
  const place = useStartPlace(row);
  const attempts = useReadable(otherAttempts(row.id)).length + 1;
  const now = useNow('half-minute');
  const waits = useSelected(client.deck, (deck) =>
    deck && attempts > 1 ? waitingText(deck, row.project, attempts, now) : undefined,
  );
  const change = (changes: Partial<typeof details>) => detailsOf(row.id).set({ ...details, ...changes });

  if (failed) {
    return (
      <p className="start-line fault" role="alert">
        {`The workspace couldn’t be created. ${visibleText(failed.fault ?? '')} Nothing was left behind. Send the message again, or choose your checkout.`}
      </p>
    );
  }
  if (fault !== undefined && value === undefined) return null;
  if (place.kind !== 'new' || !value || value.refusal !== undefined) return null;
  const { changes = 0, bases = [], baseCommit = '' } = value;
  const from = `${value.base ?? ''} ${baseCommit.slice(0, SHORT)}`.trim();
  return (
    <p className="start-line">
      <Icon icon={GitBranch} size={14} />
      <span>
        {'Branch '}
        <b className="start-branch">{visibleText(branchFor(value, text))}</b>
      </span>
      <span className="start-base">
        {'from '}
        <Menu
          label={`Base: ${visibleText(from)}`}
          className="start-menu"
          choices={[
            {
              id: ' default',
              label: 'Default',
              checked: base === undefined,
              onChoose: () => change({ base: undefined }),
            },
            ...bases.map((name) => ({
              id: name,
              label: visibleText(name),
              checked: base === name,
              onChoose: () => change({ base: name }),
            })),
          ]}
        >
          {visibleText(from)}
          <Icon icon={ChevronDown} size={12} />
        </Menu>
      </span>
      <span className="muted">
        {[distanceText(value), value.fetches ? 'fetched first' : ''].filter(Boolean).join(' · ')}
      </span>
      {attempts === 1 ? null : (
        <span className="start-attempts">
          {[`${attempts} attempts, each in its own workspace`, waits].filter(Boolean).join('. ')}
        </span>
      )}
      {changes > 0 && attempts === 1 ? (
        <label className="start-changes">
          <input
            type="checkbox"
            checked={withChanges}
            onChange={(event) => change({ withChanges: event.target.checked })}
          />
          {`Bring my changes (${plural(changes, 'file')})`}
        </label>
      ) : null}
      {found?.imports[0] === undefined ? null : (
        <Button look="link" onClick={() => openShellDialog({ kind: 'workspaces', project: row.project })}>
          {`Import the setup from ${visiblePath(found.imports[0].file)}…`}
        </Button>
      )}
      {value.tooMany === undefined ? null : (
        <Button look="link" onClick={() => openShellDialog({ kind: 'workspaces', project: row.project })}>
          {`${plural(value.tooMany, 'workspace')}: archive some…`}
        </Button>
      )}
    </p>
  );
}
