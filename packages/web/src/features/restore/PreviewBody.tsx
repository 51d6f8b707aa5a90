import type { RestorePreview } from '@tugdeck/protocol/conversation/restore';
import { useClient } from '../../kit/client-context.tsx';
import { plural } from '../../kit/format.ts';
import { titleOf } from '../../kit/projects.ts';
import { useReadable, useSelected } from '../../kit/use-readable.ts';
import { visibleText } from '../../kit/visible-text.ts';
import { useCard } from '../conversation/card-context.tsx';
import { type Choices, RestoreFileGroup } from './RestoreFileGroup.tsx';
import { fileGroups, gapLines, hasFiles, stayingReason, workingBeside } from './restore-records.ts';

export type Part = 'both' | 'files' | 'conversation';

const PARTS: readonly { id: Part; label: string }[] = [
  { id: 'both', label: 'Files and conversation' },
  { id: 'files', label: 'Files' },
  { id: 'conversation', label: 'Conversation' },
];

/** After the agent's name. */
const MEMORY: Readonly<Record<RestorePreview['memory'], string>> = {
  resume: 'continues where it was.',
  fork: 'remembers everything before this message and nothing after it.',
  told: 'starts a new session. The conversation so far is attached to your next message.',
  new: 'starts a new session and remembers none of this conversation.',
};

interface PreviewBodyProps {
  preview: RestorePreview;
  part: Part;
  choices: Choices;
  entry: string;
  isTurn: boolean;
  movesBranch: boolean;
  onBranch: (moves: boolean) => void;
  onPart: (part: Part) => void;
  onChoice: (path: string, choice: Choices[string]) => void;
}

/** Lists the outcome per file, things that stay, and the agent's memory. */
export function PreviewBody({
  preview,
  part,
  choices,
  entry,
  isTurn,
  movesBranch,
  onBranch,
  onPart,
  onChoice,
}: PreviewBodyProps) {
  const { plan, missing, late, leftOut, more, commits = [], commands = [], branch } = preview;
  const groups = fileGroups(preview);
  const { channel } = useCard();
  const agent = useSelected(channel.view, ({ conversation }) => conversation.facts.agentLabel) ?? 'The agent';
  const canRestoreFiles = hasFiles(preview);
  /** Without a file to restore, the reasons. */
  const showsFiles = part !== 'conversation' || (plan !== undefined && !canRestoreFiles);
  return (
    <>
      <fieldset className="restore-parts">
        <legend className="visually-hidden">What to restore</legend>
        {PARTS.map(({ id, label }) => (
          <label key={id} className="check">
            <input
              type="radio"
              name="restore-part"
              checked={part === id}
              disabled={!canRestoreFiles && id !== 'conversation'}
              onChange={() => onPart(id)}
            />
            {label}
          </label>
        ))}
      </fieldset>
      {missing === undefined ? null : <p className="muted">{missing}</p>}
      {part === 'files' ? (
        <p className="muted">
          The conversation stays. Your next message tells the agent which files changed.
        </p>
      ) : (
        <p className="muted">
          {visibleText(agent)} {MEMORY[preview.memory]}
        </p>
      )}
      {part === 'conversation' ? null : <WorkingHere />}
      {branch && part !== 'conversation' ? (
        <BranchChoice branch={branch} isChecked={movesBranch} onChange={onBranch} />
      ) : null}
      {showsFiles && groups.length === 0 ? <p>No files to restore</p> : null}
      {!showsFiles && plan !== undefined ? <p className="muted">Files stay as they are.</p> : null}
      {showsFiles
        ? groups.map((group) => (
            <RestoreFileGroup
              key={group.id}
              group={group}
              entry={entry}
              choices={choices}
              onChoice={onChoice}
            />
          ))
        : null}
      {!showsFiles ? null : (
        <>
          {more > 0 ? <p className="muted">{plural(more, 'more file')} not listed</p> : null}
          {late ? (
            <p className="muted">This checkpoint may already contain the agent’s first changes.</p>
          ) : null}
          {gapLines(preview, isTurn).map((line) => (
            <p key={line} className="muted">
              {line}
            </p>
          ))}
          {leftOut > 0 ? (
            <p className="muted">{plural(leftOut, 'large file')} not included in checkpoints</p>
          ) : null}
          <Staying
            label={`${plural(commands.length, 'command')} ran since. Effects elsewhere aren’t undone.`}
            lines={commands}
          />
          <Staying
            label={`${plural(commits.length, 'commit')} since`}
            lines={commits.map(({ commit, subject }) => `${commit.slice(0, 8)} ${subject}`)}
          />
        </>
      )}
    </>
  );
}

const MAX_NAMED = 3;

/** Names other sessions that work in this project right now (T17). */
function WorkingHere() {
  const { channel } = useCard();
  const sessions = useReadable(useClient().deck)?.sessions ?? [];
  const working = workingBeside(sessions, channel.session);
  if (working.length === 0) return null;
  const names = working.slice(0, MAX_NAMED).map((row) => `“${titleOf(row)}”`);
  const more = working.length > MAX_NAMED ? [`${working.length - MAX_NAMED} more`] : [];
  return (
    <p className="muted">
      Working in this project now: {[...names, ...more].join(', ')}. Files may change again.
    </p>
  );
}

interface BranchChoiceProps {
  branch: NonNullable<RestorePreview['branch']>;
  isChecked: boolean;
  onChange: (isChecked: boolean) => void;
}

/** The branch stays unless the user chooses to move it back too (T30–T32). */
function BranchChoice({ branch, isChecked, onChange }: BranchChoiceProps) {
  const { name, tip, stays, pushed } = branch;
  if (name === undefined || tip === undefined) {
    return <p className="muted">The branch stays where it is{stayingReason(stays)}.</p>;
  }
  return (
    <div>
      <label className="check">
        <input
          type="checkbox"
          checked={isChecked}
          onChange={(event) => onChange(event.currentTarget.checked)}
        />
        <span>
          Move the branch <code>{visibleText(name)}</code> back too
        </span>
      </label>
      {pushed > 0 ? (
        <p className="muted">{plural(pushed, 'commit')} already pushed. The remote isn’t changed.</p>
      ) : null}
    </div>
  );
}

/** Things that a restore doesn't undo. */
function Staying({ label, lines }: { label: string; lines: readonly string[] }) {
  if (lines.length === 0) return null;
  return (
    <details className="restore-group">
      <summary>{label}</summary>
      <ul className="restore-files">
        {lines.map((line, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the list never changes, and lines may repeat
          <li key={at} className="restore-path">
            {visibleText(line)}
          </li>
        ))}
      </ul>
    </details>
  );
}
