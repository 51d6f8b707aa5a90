/** Lands a workspace on its base (B41): shows each step before anything changes, then its progress. */
import './land.css';
import { workspaces as workspacesArea } from '@tugdeck/protocol/areas/workspaces';
import type { LandMethod, LandPreview, LandRequest } from '@tugdeck/protocol/workspaces/landing';
import type { WorkspaceRow } from '@tugdeck/protocol/workspaces/workspace';
import { useState } from 'react';
import { useClient } from '../../kit/client-context.tsx';
import { openShellDialog } from '../../kit/shell-dialog.ts';
import { useArea, useReply } from '../../kit/use-area.ts';
import { useReadable } from '../../kit/use-readable.ts';
import { visibleText } from '../../kit/visible-text.ts';
import { Button } from '../../ui/Button.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import { Segments } from '../../ui/Segments.tsx';
import { LandConflicts } from './LandConflicts.tsx';
import { checkoutText, landSteps, METHOD_LABELS, progressText } from './land-text.ts';

export interface LandDialogProps {
  project: string;
  workspace: string;
  onClose: () => void;
}

const METHODS = (Object.keys(METHOD_LABELS) as LandMethod[]).map((value) => ({
  value,
  label: METHOD_LABELS[value],
}));

export function LandDialog({ project, workspace, onClose }: LandDialogProps) {
  const deck = useReadable(useClient().deck);
  const row = deck?.workspaces?.find(({ id }) => id === workspace);
  const [landedBefore] = useState(row?.landed?.at);
  if (!row) return null;
  if (row.landed && row.landed.at !== landedBefore) return <Landed row={row} onClose={onClose} />;
  return <LandForm project={project} row={row} onClose={onClose} />;
}

function Landed({ row, onClose }: { row: WorkspaceRow; onClose: () => void }) {
  const { commit, onto = '', method } = row.landed ?? {};
  return (
    <Dialog title={`Landed ${visibleText(row.name)}`} onClose={onClose}>
      <p className="dialog-text" role="status">
        {method === 'changes'
          ? 'Its changes are in your checkout, uncommitted.'
          : `${visibleText(onto)} is now at ${commit?.slice(0, 8) ?? ''}.`}
      </p>
      <div className="dialog-actions">
        {method === 'changes' || onto === '' ? null : (
          <Button onClick={() => openShellDialog({ kind: 'push', place: row.project, branch: onto })}>
            {`Push ${visibleText(onto)}…`}
          </Button>
        )}
        <Button look="primary" onClick={onClose}>
          Close
        </Button>
      </div>
    </Dialog>
  );
}

function LandForm({ project, row, onClose }: { project: string; row: WorkspaceRow; onClose: () => void }) {
  const area = useArea(workspacesArea, { project });
  const [method, setMethod] = useState<LandMethod>();
  const [onto, setOnto] = useState('');
  const [message, setMessage] = useState<string>();
  const [leave, setLeave] = useState(false);
  const [archive, setArchive] = useState(false);
  const isLanding = row.operation === 'land';
  // An earlier landing may have stopped for a reason that no longer holds.
  const [isBegun, setBegun] = useState(false);
  const stopped = isBegun && !isLanding ? row.landFault : undefined;
  const { value, fault } = useReply(
    // Not while it lands.
    isLanding ? undefined : area.channel,
    'land.look',
    {
      workspace: row.id,
      ...(method ? { method } : {}),
      ...(onto.trim() === '' ? {} : { onto: onto.trim() }),
    },
  );
  const request = (anyway: boolean): LandRequest | undefined =>
    value?.base === undefined || value.head === undefined
      ? undefined
      : {
          method: value.method,
          base: value.base,
          head: value.head,
          message: message ?? value.message,
          ...(value.onto === undefined ? {} : { onto: value.onto }),
          ...(leave ? { leave } : {}),
          ...(archive ? { archive } : {}),
          ...(anyway ? { anyway } : {}),
        };
  const land = (anyway = false) => {
    const wanted = request(anyway);
    if (!wanted) return;
    setBegun(true);
    void area.act((channel) => channel.call('land', { workspace: row.id, ...wanted }));
  };
  const problem = fault ?? area.fault ?? stopped?.message;
  const isReady = value !== undefined && isLandable(value) && !isLanding;
  return (
    <Dialog
      title={`Land ${visibleText(row.name)} on ${visibleText(value?.onto ?? row.base ?? '…')}`}
      onClose={onClose}
    >
      <Segments
        label="How to land"
        value={value?.method ?? method ?? 'squash'}
        choices={METHODS}
        onChange={setMethod}
      />
      {value ? (
        <ol className="land-steps">
          {landSteps(value).map(({ id, text, state }) => (
            <li key={id} className="land-step" data-state={state}>
              <span>{visibleText(text)}</span>
              {id === 'commit' && value.method !== 'changes' && value.refusal === undefined ? (
                <>
                  <label className="field-label land-message">
                    <span>Commit message</span>
                    <textarea
                      className="field"
                      rows={3}
                      value={message ?? value.message}
                      onChange={(event) => setMessage(event.target.value)}
                    />
                  </label>
                  {value.uncommitted > 0 && value.ahead > 0 ? (
                    <label className="check">
                      <input
                        type="checkbox"
                        checked={leave}
                        onChange={(event) => setLeave(event.target.checked)}
                      />
                      Leave uncommitted files in the workspace
                    </label>
                  ) : null}
                </>
              ) : null}
              {id === 'base' ? (
                <LandConflicts
                  row={row}
                  preview={value}
                  area={area}
                  request={request(false)}
                  onClose={onClose}
                />
              ) : null}
            </li>
          ))}
          {value.checkout ? (
            <li className="land-step" data-state={value.checkout.blocking.length > 0 ? 'blocked' : 'done'}>
              <span>{visibleText(checkoutText(value))}</span>
            </li>
          ) : null}
        </ol>
      ) : (
        <p className="dialog-note">{problem === undefined ? 'Checking…' : ''}</p>
      )}
      {value && value.onto === undefined ? (
        <label className="field-label">
          <span>Branch to land on</span>
          <input
            className="field"
            value={onto}
            maxLength={200}
            onChange={(event) => setOnto(event.target.value)}
          />
        </label>
      ) : null}
      <label className="check">
        <input type="checkbox" checked={archive} onChange={(event) => setArchive(event.target.checked)} />
        Archive this workspace afterward
      </label>
      {isLanding ? (
        <p className="dialog-note" role="status">
          {progressText(row)}
        </p>
      ) : null}
      {problem === undefined && value?.refusal === undefined ? null : (
        <p className="fault" role="alert">
          {visibleText(problem ?? value?.refusal ?? '')}
        </p>
      )}
      <div className="dialog-actions">
        <Button onClick={onClose}>{isLanding ? 'Close' : 'Cancel'}</Button>
        {stopped?.code === 'CHECK_FAILED' ? (
          <Button disabled={!isReady} onClick={() => land(true)}>
            Land anyway
          </Button>
        ) : null}
        <Button look="primary" disabled={!isReady} onClick={() => land()}>
          Land
        </Button>
      </div>
    </Dialog>
  );
}

/** Conflicts are settled first; files in the way too. */
function isLandable({ refusal, conflicts, checkout }: LandPreview): boolean {
  const isBlocked = (conflicts?.length ?? 0) > 0 || (checkout?.blocking.length ?? 0) > 0;
  return refusal === undefined && !isBlocked;
}
