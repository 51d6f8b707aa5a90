/** The state of a pull request (B55); sends failed checks and review threads to the agent's message box (B57). */
import { pulls as pullsArea } from '@tugdeck/protocol/areas/pulls';
import { workspaces as workspacesArea } from '@tugdeck/protocol/areas/workspaces';
import type { PullRef, PullState } from '@tugdeck/protocol/workspaces/pull';
import type { WorkspaceRow } from '@tugdeck/protocol/workspaces/workspace';
import { useState } from 'react';
import { trayOf } from '../../features/attachments/tray.ts';
import { addToPrompt } from '../../features/prompt/add-to-prompt.ts';
import { ArchiveDialog } from '../../features/workspaces/ArchiveDialog.tsx';
import { checksFile, type FailedCheck, pullLine, threadsFile } from '../../features/workspaces/pull-text.ts';
import { usePull } from '../../features/workspaces/use-pull.ts';
import { useClient } from '../../kit/client-context.tsx';
import { exactTime } from '../../kit/format.ts';
import { useArea } from '../../kit/use-area.ts';
import { visiblePath, visibleText } from '../../kit/visible-text.ts';
import { Button } from '../../ui/Button.tsx';
import { Dialog } from '../../ui/Dialog.tsx';

export interface ShowPullProps {
  row: WorkspaceRow;
  pull: PullRef;
  session: string | undefined;
  onClose: () => void;
}

export function ShowPull({ row, pull, session, onClose }: ShowPullProps) {
  const client = useClient();
  const area = useArea(pullsArea, { project: row.project });
  const workspaces = useArea(workspacesArea, { project: row.project });
  const { state, fault } = usePull(area.channel, row.id, pull.number);
  const [switched, setSwitched] = useState<ReadonlySet<string>>(new Set());
  const [isBusy, setBusy] = useState(false);
  const [isArchiving, setArchiving] = useState(false);
  const chosen = chosenOf(state, switched);
  const toggle = (id: string) =>
    setSwitched((old) => new Set(old.has(id) ? [...old].filter((one) => one !== id) : [...old, id]));
  const send = async (to: string) => {
    setBusy(true);
    const files: File[] = [];
    const checks: FailedCheck[] = [];
    for (const check of chosen.checks) {
      const { job } = check;
      const log =
        job === undefined
          ? undefined
          : await area.channel?.call('log', { workspace: row.id, job }).then(
              ({ text }) => text,
              () => undefined,
            );
      checks.push({ ...check, log });
    }
    if (checks.length > 0) files.push(textFile('failed-checks.md', checksFile(pull.number, checks)));
    if (chosen.threads.length > 0) {
      files.push(textFile('review-comments.md', threadsFile(pull.number, chosen.threads)));
    }
    trayOf(to).add(files);
    onClose();
    addToPrompt(
      client,
      to,
      `Look at the attached ${files.length > 1 ? 'files' : 'file'} about pull request #${pull.number} and fix what is wrong.`,
    );
  };
  if (isArchiving) return <ArchiveDialog row={row} area={workspaces} onClose={onClose} />;
  const canSend = session !== undefined && chosen.checks.length + chosen.threads.length > 0;
  return (
    <Dialog title={visibleText(state?.title ?? `Pull request #${pull.number}`)} onClose={onClose}>
      <p className="dialog-text">
        {state ? visibleText(pullLine(state)) : fault === undefined ? 'Reading…' : ''}{' '}
        <a className="pull-link" href={pull.url} target="_blank" rel="noopener noreferrer">
          Open on {visibleText(pull.host)}
        </a>
      </p>
      {state ? <Items state={state} isChosen={(id) => chosen.ids.has(id)} onToggle={toggle} /> : null}
      {state ? <p className="dialog-note">As of {exactTime(state.at)}</p> : null}
      {state?.stale === undefined && fault === undefined && area.fault === undefined ? null : (
        <p className="fault" role="alert">
          {visibleText(fault ?? area.fault ?? state?.stale ?? '')}
        </p>
      )}
      <div className="dialog-actions">
        <Button onClick={onClose}>Close</Button>
        {state?.state === 'merged' ? (
          <Button look="primary" onClick={() => setArchiving(true)}>
            Archive workspace…
          </Button>
        ) : null}
        {canSend ? (
          <Button look="primary" disabled={isBusy} onClick={() => void send(session)}>
            Add to message
          </Button>
        ) : null}
      </div>
    </Dialog>
  );
}

interface ItemsProps {
  state: PullState;
  isChosen: (id: string) => boolean;
  onToggle: (id: string) => void;
}

function Items({ state: { checks, threads }, isChosen, onToggle }: ItemsProps) {
  const failed = checks.filter((check) => check.state === 'failed');
  return (
    <>
      {failed.length === 0 ? null : (
        <ul className="pull-list" aria-label="Failed checks">
          {failed.map((check) => (
            <li key={checkId(check)}>
              <label className="check">
                <input
                  type="checkbox"
                  checked={isChosen(checkId(check))}
                  onChange={() => onToggle(checkId(check))}
                />
                <span className="pull-failed">{visibleText(check.name)} failed</span>
              </label>
            </li>
          ))}
        </ul>
      )}
      {threads.length === 0 ? null : (
        <ul className="pull-list" aria-label="Review threads">
          {threads.map(({ id, path, line, comments }) => (
            <li key={id}>
              <label className="check">
                <input type="checkbox" checked={isChosen(id)} onChange={() => onToggle(id)} />
                <span>{visiblePath(line === undefined ? path : `${path}:${line}`)}</span>
              </label>
              {comments.map(({ author, text, mayWrite }, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: comments of a thread are only appended
                <p key={index} className="pull-comment">
                  {visibleText(`${author}${mayWrite ? '' : ' (no write access)'}: ${text}`)}
                </p>
              ))}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

function checkId({ name, job, url }: { name: string; job?: number | undefined; url?: string | undefined }) {
  return `check ${job ?? url ?? name}`;
}

/** Failed checks, and threads of people with write access, unless the user switched them. */
function chosenOf(state: PullState | undefined, switched: ReadonlySet<string>) {
  const checks = (state?.checks ?? []).filter(
    (check) => check.state === 'failed' && !switched.has(checkId(check)),
  );
  const threads = (state?.threads ?? []).filter(
    ({ id, comments }) => comments.every(({ mayWrite }) => mayWrite) !== switched.has(id),
  );
  return { checks, threads, ids: new Set([...checks.map(checkId), ...threads.map(({ id }) => id)]) };
}

function textFile(name: string, text: string): File {
  return new File([text], name, { type: 'text/markdown' });
}
