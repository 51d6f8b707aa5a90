import type { RestorePreview } from '@tugdeck/protocol/conversation/restore';
import { ChevronDown, ChevronRight } from 'lucide-react';
import { useState } from 'react';
import { faultText } from '../../kit/deck-actions.ts';
import { visibleText } from '../../kit/visible-text.ts';
import { Icon } from '../../ui/Icon.tsx';
import { useCard } from '../conversation/card-context.tsx';
import { type FileGroup, reasonText } from './restore-records.ts';

export type Choices = Readonly<Record<string, 'mine' | 'checkpoint' | 'markers'>>;
type PreviewFile = RestorePreview['files'][number];

export interface RestoreFileGroupProps {
  group: FileGroup;
  entry: string;
  choices: Choices;
  onChoice: (path: string, choice: Choices[string]) => void;
}

/** Files of a preview with the same outcome. Conflicts are open; a file shows its difference on demand. */
export function RestoreFileGroup({ group, entry, choices, onChoice }: RestoreFileGroupProps) {
  const { id, label, files, count } = group;
  return (
    <details className="restore-group" data-group={id} open={id === 'conflict' || count <= 8}>
      <summary>
        {label} <span className="muted">{count}</span>
      </summary>
      <ul className="restore-files">
        {files.map((file) => (
          <FileRow
            key={file.path}
            file={file}
            entry={entry}
            choice={choices[file.path]}
            onChoice={onChoice}
          />
        ))}
      </ul>
    </details>
  );
}

interface FileRowProps {
  file: PreviewFile;
  entry: string;
  choice: Choices[string] | undefined;
  onChoice: (path: string, choice: Choices[string]) => void;
}

function FileRow({ file, entry, choice = 'mine', onChoice }: FileRowProps) {
  const { channel } = useCard();
  const { path, state, why } = file;
  const [patch, setPatch] = useState<string>();
  const [isOpen, setOpen] = useState(false);
  const reason = reasonText(why);
  const toggle = () => {
    setOpen(!isOpen);
    if (isOpen || patch !== undefined) return;
    channel.preview({ entry, paths: [path] }).then(
      (preview) => setPatch(preview.patch ?? ''),
      (error) => setPatch(faultText(error)),
    );
  };
  const isChoice = state === 'conflict' || state === 'guarded';
  return (
    <li>
      <div className="restore-file">
        <button type="button" className="restore-path" aria-expanded={isOpen} onClick={toggle}>
          <Icon icon={isOpen ? ChevronDown : ChevronRight} size={14} />
          <span>
            {visibleText(path)}
            {reason ? <span className="muted"> · {reason}</span> : null}
          </span>
        </button>
        {isChoice ? (
          <select
            className="field"
            aria-label={`Version of ${visibleText(path)}`}
            value={choice}
            onChange={(event) => onChoice(path, event.target.value as Choices[string])}
          >
            <option value="mine">{state === 'conflict' ? 'Keep mine' : 'Keep'}</option>
            <option value="checkpoint">{state === 'conflict' ? 'Use checkpoint' : 'Remove'}</option>
            {state === 'conflict' ? <option value="markers">Insert conflict markers</option> : null}
          </select>
        ) : null}
      </div>
      {isOpen ? <Patch text={patch} /> : null}
    </li>
  );
}

const MAX_LINES = 400;

/** The lines of a unified diff, without its header. */
function Patch({ text }: { text: string | undefined }) {
  if (text === undefined) return <p className="muted">Loading…</p>;
  const lines = text.split('\n');
  const first = lines.findIndex((line) => line.startsWith('@@'));
  const shown = (first < 0 ? lines : lines.slice(first)).filter((line) => line !== '');
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scroller must be reachable to scroll it by keys
    <pre className="restore-patch" tabIndex={0}>
      {shown.slice(0, MAX_LINES).map((line, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines never change, and may repeat
        <span key={at} data-line={line[0] === '+' ? 'added' : line[0] === '-' ? 'removed' : undefined}>
          {visibleText(line) || ' '}
        </span>
      ))}
      {shown.length > MAX_LINES ? '…' : null}
    </pre>
  );
}
