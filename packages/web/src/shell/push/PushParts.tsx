/** The contents of a push (B52): address, commits, files, lost commits and possible secrets, with what the user must confirm. */
import './push.css';
import type { PushedCommit, PushPreview, Secret } from '@tugdeck/protocol/git/network-messages';
import { plural } from '../../kit/format.ts';
import { visiblePath, visibleText } from '../../kit/visible-text.ts';
import type { PreparedPush } from './use-push.ts';

export function PushParts({ prepared }: { prepared: PreparedPush }) {
  const { preview, overwrite, anyway, setOverwrite, setAnyway, setRemote, needsAnyway } = prepared;
  if (!preview) return null;
  return (
    <div className="push">
      <Target preview={preview} onRemote={setRemote} />
      <Contents preview={preview} />
      {preview.lost ? <Lost commits={preview.lost} isChecked={overwrite} onCheck={setOverwrite} /> : null}
      {needsAnyway ? (
        <Secrets
          secrets={preview.secrets}
          unchecked={preview.unchecked}
          confirm="Push anyway"
          isChecked={anyway}
          onCheck={setAnyway}
        />
      ) : null}
    </div>
  );
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
  unchecked?: string | undefined;
  /** The label of the checkbox. */
  confirm: string;
}

export function Secrets({ secrets, unchecked, confirm, isChecked, onCheck }: SecretsProps) {
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
        {confirm}
      </label>
    </div>
  );
}

function secretText({ kind, where, line, commit, begins }: Secret): string {
  const place = line === undefined ? where : `${where}:${line}`;
  const at = commit === undefined ? '' : ` in ${commit.slice(0, 8)}`;
  return `${kind}${begins === '' ? '' : ` ${begins}`} – ${place}${at}`;
}
