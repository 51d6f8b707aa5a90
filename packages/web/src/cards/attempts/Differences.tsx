/** The files of an attempt against the common commit or against another attempt, whose version can be taken (B39, B40). */
import { review } from '@tugdeck/protocol/areas/review';
import type { AttemptsRow, ComparedAttempts } from '@tugdeck/protocol/attempts/attempts';
import type { ReviewFile, ReviewScope } from '@tugdeck/protocol/review/review-messages';
import { ChevronDown, ChevronRight } from 'lucide-react';
import { useState } from 'react';
import { HunkList } from '../../features/diff/HunkList.tsx';
import { letterOf } from '../../features/workspaces/attempts.ts';
import { plural } from '../../kit/format.ts';
import { type UsedArea, useArea, useReply } from '../../kit/use-area.ts';
import { visiblePath, visibleText } from '../../kit/visible-text.ts';
import { Button } from '../../ui/Button.tsx';
import { Icon } from '../../ui/Icon.tsx';
import '../../features/diff/hunks.css';

const BASE = '';

export interface DifferencesProps {
  group: AttemptsRow;
  compared: ComparedAttempts;
}

export function Differences({ group, compared }: DifferencesProps) {
  const { attempts, chosen } = group;
  const readable = compared.attempts.filter(({ tree }) => tree !== undefined).map(({ session }) => session);
  const [wanted, setShown] = useState<string>();
  const [wantedOther, setOther] = useState(BASE);
  // Only the files of a workspace on disk can be shown as the first.
  const onDisk = chosen === undefined ? readable : readable.filter((session) => session === chosen);
  const shown = onDisk.find((session) => session === wanted) ?? onDisk[0];
  const other = wantedOther !== shown && readable.includes(wantedOther) ? wantedOther : BASE;
  const letter = (session: string) => letterOf(attempts.findIndex((one) => one.session === session) + 1);
  if (shown === undefined) return <p className="pane-empty">No files to compare yet</p>;
  const scope: ReviewScope = other === BASE ? { since: 'attempt' } : { since: 'attempt', other };
  const trees = compared.attempts.map(({ tree }) => tree).join();
  return (
    <section className="differences" aria-label="Differences">
      <div className="differences-choice">
        <label>
          {'Show '}
          <select className="field" value={shown} onChange={({ target }) => setShown(target.value)}>
            {onDisk.map((session) => (
              <option key={session} value={session}>
                {letter(session)}
              </option>
            ))}
          </select>
        </label>
        <label>
          {'against '}
          <select className="field" value={other} onChange={({ target }) => setOther(target.value)}>
            <option value={BASE}>{`the common commit ${group.baseCommit.slice(0, 8)}`}</option>
            {readable
              .filter((session) => session !== shown)
              .map((session) => (
                <option key={session} value={session}>
                  {letter(session)}
                </option>
              ))}
          </select>
        </label>
      </div>
      <Files
        key={`${shown} ${other}`}
        session={shown}
        scope={scope}
        other={other === BASE ? undefined : letter(other)}
        moment={trees}
        changedBy={(path) => compared.files.find((file) => file.path === path)?.by.map(letter) ?? []}
      />
    </section>
  );
}

interface FilesProps {
  session: string;
  scope: ReviewScope;
  /** The letter of the other attempt, whose version can be taken. */
  other: string | undefined;
  moment: string;
  changedBy: (path: string) => readonly string[];
}

function Files({ session, scope, other, moment, changedBy }: FilesProps) {
  const [changed, setChanged] = useState(0);
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const [undo, setUndo] = useState<{ id: string; label: string }>();
  const area = useArea(review, { session }, () => setChanged((count) => count + 1));
  const when = `${moment} ${changed}`;
  const { value, fault } = useReply(area.channel, 'state', { scope }, when);
  const toggle = (path: string) => {
    const next = new Set(open);
    if (!next.delete(path)) next.add(path);
    setOpen(next);
  };
  const take = (path: string, hunk?: string) =>
    area.act(async (channel) => {
      setUndo(undefined);
      const done = await channel.call('revert', { scope, path, ...(hunk === undefined ? {} : { hunk }) });
      const what = hunk === undefined ? visiblePath(path) : `a change in ${visiblePath(path)}`;
      setUndo({ id: done.undo, label: `Took ${what} from ${other}` });
    });
  const takeBack = () =>
    area.act(async (channel) => {
      if (undo) await channel.call('undo', { undo: undo.id });
      setUndo(undefined);
    });
  const problem = area.fault ?? fault ?? value?.missing;
  return (
    <>
      {problem === undefined ? null : (
        <p className="pane-fault" role="alert">
          {visibleText(problem)}
        </p>
      )}
      {undo ? (
        <div className="difference-undo" role="status">
          <span>{undo.label}</span>
          <Button look="quiet" onClick={() => void takeBack()}>
            Undo
          </Button>
        </div>
      ) : null}
      {value && value.files.length === 0 && problem === undefined ? (
        <p className="pane-empty">No differences</p>
      ) : null}
      <ul className="difference-files">
        {value?.files.map((file) => (
          <li key={file.path}>
            <div className="difference-head">
              <button
                type="button"
                className="difference-toggle"
                aria-expanded={open.has(file.path)}
                title={visiblePath(file.path)}
                onClick={() => toggle(file.path)}
              >
                <Icon icon={open.has(file.path) ? ChevronDown : ChevronRight} />
                <span className="difference-path">
                  <bdi>{visiblePath(file.path)}</bdi>
                </span>
              </button>
              <Facts file={file} by={changedBy(file.path)} />
              {other === undefined ? null : (
                <Button look="quiet" onClick={() => void take(file.path)}>
                  {takeText(file, other)}
                  <span className="visually-hidden">{` of ${visiblePath(file.path)}`}</span>
                </Button>
              )}
            </div>
            {open.has(file.path) ? (
              <Lines
                area={area}
                scope={scope}
                path={file.path}
                moment={`${when} ${file.after}`}
                onTake={other === undefined ? undefined : (hunk) => void take(file.path, hunk)}
                other={other}
              />
            ) : null}
          </li>
        ))}
      </ul>
      {value && value.more > 0 ? (
        <p className="pane-note">{plural(value.more, 'more file')} not shown</p>
      ) : null}
    </>
  );
}

/** Its file is not in the other attempt, so taking that version removes it. */
function takeText({ state }: ReviewFile, other: string): string {
  return state === 'added' ? `Remove, as in ${other}` : `Take ${other}’s version`;
}

function Facts({ file, by }: { file: ReviewFile; by: readonly string[] }) {
  return (
    <span className="difference-facts">
      {by.length > 0 ? <span title={`Changed by ${by.join(', ')}`}>{by.join(' ')}</span> : null}
      {file.added > 0 ? <span className="is-added">+{file.added}</span> : null}
      {file.removed > 0 ? <span className="is-removed">−{file.removed}</span> : null}
    </span>
  );
}

interface LinesProps {
  area: UsedArea<typeof review>;
  scope: ReviewScope;
  path: string;
  moment: string;
  other: string | undefined;
  onTake: ((hunk: string) => void) | undefined;
}

function Lines({ area, scope, path, moment, other, onTake }: LinesProps) {
  const [whole, setWhole] = useState(false);
  const { value, fault } = useReply(
    area.channel,
    'diff',
    { scope, path, ...(whole ? { whole } : {}) },
    moment,
  );
  if (fault !== undefined) return <p className="pane-fault">{visibleText(fault)}</p>;
  if (!value) return <div className="pane-waiting" aria-busy="true" />;
  return (
    <HunkList
      change={value}
      onWhole={() => setWhole(true)}
      actions={(hunk) =>
        onTake ? (
          <Button look="quiet" onClick={() => onTake(hunk.id)}>
            {`Take this from ${other}`}
          </Button>
        ) : null
      }
    />
  );
}
