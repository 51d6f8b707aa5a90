/** Creates a pull request (B53): title, text, base and what is pushed are shown first. */
import { pulls as pullsArea } from '@tugdeck/protocol/areas/pulls';
import { secretsInPull } from '@tugdeck/protocol/git/secret-in';
import type { WorkspaceRow } from '@tugdeck/protocol/workspaces/workspace';
import { useState } from 'react';
import { openShellDialog } from '../../kit/shell-dialog.ts';
import { useArea, useReply } from '../../kit/use-area.ts';
import { visibleText } from '../../kit/visible-text.ts';
import { Button } from '../../ui/Button.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import { PushParts, Secrets } from '../push/PushParts.tsx';
import { usePush } from '../push/use-push.ts';

export function CreatePull({ row, onClose }: { row: WorkspaceRow; onClose: () => void }) {
  const area = useArea(pullsArea, { project: row.project });
  const prepared = usePush(row.id);
  const { value, fault } = useReply(area.channel, 'look', { workspace: row.id }, prepared.preview?.commit);
  const [title, setTitle] = useState<string>();
  const [body, setBody] = useState<string>();
  const [base, setBase] = useState<string>();
  const [draft, setDraft] = useState(false);
  /** The secrets that the user confirmed; others are shown again. */
  const [confirmed, setConfirmed] = useState('');
  const [busy, setBusy] = useState<string>();
  const [notFound, setNotFound] = useState(false);
  const { preview, failed } = prepared;
  const isPushed = preview !== undefined && preview.seen === preview.commit;
  const written = { title: title ?? value?.title ?? '', body: body ?? value?.body ?? '' };
  const secrets = value?.tool === undefined ? [] : secretsInPull(written);
  const found = secrets.length === 0 ? '' : JSON.stringify(secrets);
  const anyway = found !== '' && found === confirmed;
  const create = async () => {
    if (!value) return;
    setBusy('Pushing…');
    if (isPushed || (await prepared.push())) {
      setBusy('Creating…');
      const request = {
        base: base ?? value.base,
        ...written,
        ...(draft ? { draft } : {}),
        ...(anyway ? { anyway } : {}),
      };
      // Then the row has its number, and the dialog shows it.
      await area.act((channel) => channel.call('create', { workspace: row.id, ...request }));
    }
    setBusy(undefined);
  };
  const find = async () => {
    setBusy('Looking…');
    setNotFound(false);
    await area.act(async (channel) => {
      const { pull } = await channel.call('find', { workspace: row.id });
      setNotFound(pull === undefined);
    });
    setBusy(undefined);
  };
  const problem = failed?.text ?? area.fault ?? fault ?? prepared.fault;
  const refusal = isPushed ? undefined : preview?.refusal;
  const isReady =
    value !== undefined &&
    preview !== undefined &&
    refusal === undefined &&
    busy === undefined &&
    (isPushed || prepared.isConfirmed) &&
    (found === '' || anyway) &&
    written.title.trim() !== '';
  return (
    <Dialog title={`Pull request for ${visibleText(row.name)}`} onClose={onClose}>
      {value ? (
        <>
          <p className="dialog-text">
            {visibleText(value.branch)} into {visibleText(`${value.host}/${value.repository}`)}
          </p>
          {value.overrides.length === 0 ? null : (
            <p className="dialog-note">
              {`The environment of this project sets ${value.overrides.join(', ')}, which choose another account or token.`}
            </p>
          )}
          {value.tool === undefined ? null : (
            <>
              <label className="field-label">
                <span>Title</span>
                <input
                  className="field"
                  value={written.title}
                  maxLength={300}
                  onChange={(event) => setTitle(event.target.value)}
                />
              </label>
              <label className="field-label">
                <span>Text</span>
                <textarea
                  className="field pull-body"
                  rows={6}
                  value={written.body}
                  maxLength={60_000}
                  onChange={(event) => setBody(event.target.value)}
                />
              </label>
              <label className="field-label">
                <span>Base branch</span>
                <input
                  className="field"
                  value={base ?? value.base}
                  maxLength={250}
                  onChange={(event) => setBase(event.target.value)}
                />
              </label>
              <label className="check">
                <input type="checkbox" checked={draft} onChange={(event) => setDraft(event.target.checked)} />
                Draft
              </label>
              {found === '' ? null : (
                <div className="push">
                  <Secrets
                    secrets={secrets}
                    confirm="Create it anyway"
                    isChecked={anyway}
                    onCheck={(isChecked) => setConfirmed(isChecked ? found : '')}
                  />
                </div>
              )}
            </>
          )}
          {isPushed ? (
            <p className="dialog-note">The branch has been pushed</p>
          ) : (
            <PushParts prepared={prepared} />
          )}
          {value.tool === undefined ? (
            <p className="dialog-note">
              Push the branch, then create the pull request on its compare page. With GitHub’s command line
              program (gh) installed, Tugdeck creates it.
            </p>
          ) : null}
        </>
      ) : (
        <p className="dialog-note">{problem === undefined ? 'Checking…' : ''}</p>
      )}
      {notFound ? (
        <p className="dialog-note" role="status">
          No pull request found for this branch
        </p>
      ) : null}
      {busy === undefined ? null : (
        <p className="dialog-note" role="status">
          {busy}
        </p>
      )}
      {problem === undefined && refusal === undefined ? null : (
        <p className="fault" role="alert">
          {visibleText(problem ?? refusal ?? '')}
        </p>
      )}
      <div className="dialog-actions">
        <Button onClick={onClose}>Cancel</Button>
        {value?.tool === undefined ? (
          value && (
            <>
              {isPushed ? null : (
                <Button onClick={() => openShellDialog({ kind: 'push', place: row.id })}>Push…</Button>
              )}
              <a
                className="button"
                data-look="primary"
                href={value.compare}
                target="_blank"
                rel="noopener noreferrer"
              >
                Open compare page
              </a>
            </>
          )
        ) : (
          <>
            <Button disabled={busy !== undefined} onClick={() => void find()}>
              Find existing
            </Button>
            <Button look="primary" disabled={!isReady} onClick={() => void create()}>
              {isPushed ? 'Create' : 'Push and create'}
            </Button>
          </>
        )}
      </div>
    </Dialog>
  );
}
