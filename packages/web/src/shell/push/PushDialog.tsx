/** Pushes a branch (B52): shows the commits, files and anything that looks like a secret before it is sent. */
import './push.css';
import { git as gitArea } from '@tugdeck/protocol/areas/git';
import type { PushedCommit, PushPreview, PushRequest, Secret } from '@tugdeck/protocol/git/network-messages';
import { useState } from 'react';
import { typeCommand } from '../../features/terminal/type-command.ts';
import { useClient } from '../../kit/client-context.tsx';
import { faultText } from '../../kit/deck-actions.ts';
import { plural } from '../../kit/format.ts';
import { useArea, useReply } from '../../kit/use-area.ts';
import { visiblePath, visibleText } from '../../kit/visible-text.ts';
import { Button } from '../../ui/Button.tsx';
import { Dialog } from '../../ui/Dialog.tsx';

export interface PushDialogProps {
  /** A project or a workspace. */
  place: string;
  branch?: string | undefined;
  onClose: () => void;
}

interface Fault {
  readonly text: string;
  readonly code: string | undefined;
}

export function PushDialog({ place, branch, onClose }: PushDialogProps) {
  const client = useClient();
  const area = useArea(gitArea, { project: place });
  const [remote, setRemote] = useState<string>();
  const [overwrite, setOverwrite] = useState(false);
  const [anyway, setAnyway] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [failed, setFailed] = useState<Fault>();
  const status = area.state?.kind === 'repository' ? area.state : undefined;
  const { value, fault } = useReply(
    isBusy ? undefined : area.channel,
    'push.look',
    { ...(branch === undefined ? {} : { branch }), ...(remote === undefined ? {} : { remote }) },
    `${status?.branch} ${status?.commit} ${status?.upstream?.ahead} ${status?.upstream?.behind} ${failed?.text}`,
  );
  const push = async () => {
    if (!value || !area.channel) return;
    setBusy(true);
    setFailed(undefined);
    try {
      await area.channel.call('push', requestOf(value, overwrite, anyway));
      onClose();
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : undefined;
      setFailed({ text: faultText(error), code });
    } finally {
      setBusy(false);
    }
  };
  const inTerminal = (command: string) => {
    onClose();
    void typeCommand(client, place, command).catch(() => undefined);
  };
  const needsAnyway = value !== undefined && (value.secrets.length > 0 || value.unchecked !== undefined);
  const isReady =
    value !== undefined &&
    value.refusal === undefined &&
    (value.lost === undefined || overwrite) &&
    (!needsAnyway || anyway);
  const problem = failed?.text ?? fault ?? value?.refusal;
  return (
    <Dialog title={`Push ${visibleText(value?.branch ?? branch ?? '…')}`} onClose={onClose}>
      {value ? (
        <div className="push">
          <Target preview={value} onRemote={setRemote} />
          <Contents preview={value} />
          {value.lost ? <Lost commits={value.lost} isChecked={overwrite} onCheck={setOverwrite} /> : null}
          {needsAnyway ? (
            <Secrets
              secrets={value.secrets}
              unchecked={value.unchecked}
              isChecked={anyway}
              onCheck={setAnyway}
            />
          ) : null}
        </div>
      ) : (
        <p className="dialog-note">{problem === undefined ? 'Checking…' : ''}</p>
      )}
      {problem === undefined ? null : (
        <p className={failed || fault ? 'fault' : 'dialog-note'} role="alert">
          {visibleText(problem)}
        </p>
      )}
      <div className="dialog-actions">
        {failed?.code === 'GIT_CREDENTIALS' && value ? (
          <Button onClick={() => inTerminal(value.command)}>Open in a terminal</Button>
        ) : null}
        <Button onClick={onClose}>{isBusy ? 'Close' : 'Cancel'}</Button>
        {isBusy ? (
          <Button onClick={() => void area.channel?.call('network.stop').catch(() => undefined)}>Stop</Button>
        ) : (
          <Button
            look={value?.lost || needsAnyway ? 'warning' : 'primary'}
            disabled={!isReady}
            onClick={() => void push()}
          >
            {value?.lost ? 'Overwrite' : 'Push'}
          </Button>
        )}
      </div>
      {isBusy ? (
        <p className="dialog-note" role="status">
          Pushing…
        </p>
      ) : null}
    </Dialog>
  );
}

function requestOf(preview: PushPreview, overwrite: boolean, anyway: boolean): PushRequest {
  const { branch, remote, commit, seen, lost } = preview;
  return {
    ...{ branch, remote, commit },
    ...(seen === undefined ? {} : { seen }),
    ...(lost && overwrite ? { overwrite } : {}),
    ...(anyway ? { anyway } : {}),
  };
}

function Target({ preview, onRemote }: { preview: PushPreview; onRemote: (remote: string) => void }) {
  const { remote, remotes, branch, addresses } = preview;
  return (
    <div className="push-target">
      {remotes.length > 1 ? (
        <label className="field-label">
          <span>Remote</span>
          <select className="field" value={remote} onChange={(event) => onRemote(event.target.value)}>
            {remotes.map((name) => (
              <option key={name} value={name}>
                {visibleText(name)}
              </option>
            ))}
          </select>
        </label>
      ) : null}
      <p className="dialog-text">
        To {visibleText(`${remote}/${branch}`)}{' '}
        <span className="push-address">{addresses.map(visibleText).join(', ')}</span>
      </p>
    </div>
  );
}

function Contents({ preview: { commits, ahead, files } }: { preview: PushPreview }) {
  if (ahead === 0) return null;
  const more = ahead - commits.length;
  return (
    <details className="push-part" open={ahead <= 10}>
      <summary>
        {plural(ahead, 'commit')}, {plural(files.length, 'file')}
      </summary>
      <Commits commits={commits} />
      {more > 0 ? <p className="dialog-text">and {plural(more, 'older commit')}</p> : null}
      <ul className="push-list" aria-label="Files">
        {files.map((path) => (
          <li key={path}>{visiblePath(path)}</li>
        ))}
      </ul>
    </details>
  );
}

function Commits({ commits, hasAuthor = false }: { commits: readonly PushedCommit[]; hasAuthor?: boolean }) {
  return (
    <ul className="push-list" aria-label="Commits">
      {commits.map(({ commit, subject, author }) => (
        <li key={commit}>
          <span className="push-commit">{commit.slice(0, 8)}</span> {visibleText(subject)}
          {hasAuthor ? <span className="push-address"> {visibleText(author)}</span> : null}
        </li>
      ))}
    </ul>
  );
}

interface CheckProps {
  isChecked: boolean;
  onCheck: (isChecked: boolean) => void;
}

function Lost({ commits, isChecked, onCheck }: CheckProps & { commits: readonly PushedCommit[] }) {
  return (
    <div className="push-part">
      <p className="push-warning">The remote’s branch would lose these commits:</p>
      <Commits commits={commits} hasAuthor />
      <label className="check">
        <input type="checkbox" checked={isChecked} onChange={(event) => onCheck(event.target.checked)} />
        Overwrite the remote’s branch
      </label>
    </div>
  );
}

interface SecretsProps extends CheckProps {
  secrets: readonly Secret[];
  unchecked: string | undefined;
}

function Secrets({ secrets, unchecked, isChecked, onCheck }: SecretsProps) {
  return (
    <div className="push-part">
      <p className="push-warning">{unchecked ?? 'These look like secrets:'}</p>
      <ul className="push-list" aria-label="Possible secrets">
        {secrets.map((secret) => (
          <li key={JSON.stringify(secret)}>{visibleText(secretText(secret))}</li>
        ))}
      </ul>
      <label className="check">
        <input type="checkbox" checked={isChecked} onChange={(event) => onCheck(event.target.checked)} />
        Push anyway
      </label>
    </div>
  );
}

function secretText({ kind, where, line, commit, begins }: Secret): string {
  const place = line === undefined ? where : `${where}:${line}`;
  const at = commit === undefined ? '' : ` in ${commit.slice(0, 8)}`;
  return `${kind}${begins === '' ? '' : ` ${begins}`} – ${place}${at}`;
}
