import { AtSign, Eye, Image, Save, Text, WrapText } from 'lucide-react';
import { languageName } from '../../features/editor/languages.ts';
import { mentionFile } from '../../features/prompt/add-to-prompt.ts';
import { useClient } from '../../kit/client-context.tsx';
import { visiblePath } from '../../kit/visible-text.ts';
import { IconButton } from '../../ui/IconButton.tsx';
import type { FileSession, FileState } from './file-session.ts';

export type FileView = 'text' | 'markdown' | 'image';

export interface FileHeaderProps {
  session: FileSession;
  state: FileState;
  view: FileView;
  onView: (view: FileView) => void;
  isWrapped: boolean;
  onWrap: (isWrapped: boolean) => void;
}

export function FileHeader({ session, state, view, onView, isWrapped, onWrap }: FileHeaderProps) {
  const client = useClient();
  const { path } = session.place;
  const at = path.lastIndexOf('/') + 1;
  const isText = state.phase === 'text';
  const preview: FileView | undefined =
    languageName(path) === 'markdown' ? 'markdown' : /\.svg$/i.test(path) ? 'image' : undefined;
  return (
    <header className="pane-bar file-header">
      <span className="file-path truncate" title={visiblePath(path)}>
        <span className="muted">{visiblePath(path.slice(0, at))}</span>
        {visiblePath(path.slice(at))}
      </span>
      <span className="file-state" role="status">
        {statusText(state)}
      </span>
      <IconButton icon={AtSign} label="Add to message" onClick={() => mentionFile(client, session.place)} />
      {isText ? (
        <>
          {preview ? (
            <IconButton
              icon={view === 'text' ? (preview === 'image' ? Image : Eye) : Text}
              label={view === 'text' ? 'Preview' : 'Show text'}
              aria-pressed={view !== 'text'}
              onClick={() => onView(view === 'text' ? preview : 'text')}
            />
          ) : null}
          <IconButton
            icon={WrapText}
            label="Wrap lines"
            aria-pressed={isWrapped}
            onClick={() => onWrap(!isWrapped)}
          />
          <IconButton
            icon={Save}
            label="Save"
            disabled={!state.isDirty || state.document?.conflict !== undefined}
            onClick={() => void session.save()}
          />
        </>
      ) : null}
    </header>
  );
}

function statusText({ phase, document, isDirty, isWritable }: FileState): string {
  if (phase !== 'text' || !document) return '';
  if (document.saving !== undefined) return 'Saving…';
  if (document.conflict) return 'Changed on disk';
  if (isDirty) return 'Unsaved';
  return isWritable ? '' : 'Read-only';
}
