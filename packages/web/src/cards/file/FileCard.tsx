/** The file card (W2): an editor or another view of the file. Without a path it offers to open one. */
import { FileSearch } from 'lucide-react';
import { useCallback, useEffect, useState } from 'react';
import { rawAddress } from '../../features/files/file-api.ts';
import { parseItem } from '../../features/files/file-item.ts';
import { useSignedAddress } from '../../kit/api.ts';
import type { CardProps } from '../../kit/card-kinds.ts';
import { useClient } from '../../kit/client-context.tsx';
import { bytes } from '../../kit/format.ts';
import { useCardFrame } from '../../kit/layout/card-frame.tsx';
import { keepOpen } from '../../kit/layout/temporary.ts';
import { openShellDialog } from '../../kit/shell-dialog.ts';
import { useReadable } from '../../kit/use-readable.ts';
import { visiblePath } from '../../kit/visible-text.ts';
import { Button } from '../../ui/Button.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { ConflictBar } from './ConflictBar.tsx';
import { FileHeader, type FileView } from './FileHeader.tsx';
import { type FileSession, type FileState, useFileSession } from './file-session.ts';
import { TextEditor } from './TextEditor.tsx';
import './file.css';
import { useMarkdown } from '../../features/prose/use-markdown.ts';

export default function FileCard({ params, setTitle, close }: CardProps) {
  const { project, item } = params;
  if (project === undefined || item === undefined || item === '') return <NoFile setTitle={setTitle} />;
  return (
    <OpenFile
      key={`${project} ${parseItem(item).path}`}
      project={project}
      item={item}
      setTitle={setTitle}
      close={close}
    />
  );
}

function NoFile({ setTitle }: Pick<CardProps, 'setTitle'>) {
  useEffect(() => setTitle('Editor'), [setTitle]);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms
    <section className="pane" role="group" aria-label="Editor">
      <div className="file-note">
        <p>No file open</p>
        <Button look="primary" onClick={() => openShellDialog({ kind: 'quick-open' })}>
          <Icon icon={FileSearch} /> Open a file
        </Button>
      </div>
    </section>
  );
}

interface OpenFileProps extends Pick<CardProps, 'setTitle' | 'close'> {
  project: string;
  item: string;
}

function OpenFile({ project, item, setTitle, close }: OpenFileProps) {
  const { path, line } = parseItem(item);
  const session = useFileSession(useClient(), project, path);
  const name = visiblePath(path.slice(path.lastIndexOf('/') + 1));
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms
    <section className="pane" role="group" aria-label={`File ${visiblePath(path)}`}>
      {session ? (
        <FileBody session={session} name={name} line={line} setTitle={setTitle} close={close} />
      ) : (
        <div className="file-note" aria-busy="true" />
      )}
    </section>
  );
}

interface FileBodyProps extends Pick<CardProps, 'setTitle' | 'close'> {
  session: FileSession;
  name: string;
  line: number | undefined;
}

function FileBody({ session, name, line, setTitle, close }: FileBodyProps) {
  const state = useReadable(session.state);
  const [view, setView] = useState<FileView>('text');
  const [isWrapped, setWrapped] = useState(false);
  const { isDirty, phase } = state;
  useEffect(() => setTitle(isDirty ? `● ${name}` : name), [setTitle, name, isDirty]);
  const { id } = useCardFrame();
  useEffect(() => {
    if (isDirty) keepOpen(id);
  }, [id, isDirty]);
  const save = useCallback(() => void session.save(), [session]);
  return (
    <>
      <FileHeader
        session={session}
        state={state}
        view={view}
        onView={setView}
        isWrapped={isWrapped}
        onWrap={setWrapped}
      />
      {state.fault && phase !== 'fault' ? (
        <p className="file-fault fault" role="alert">
          {state.fault}
        </p>
      ) : null}
      {state.document?.conflict ? (
        <ConflictBar session={session} document={state.document} onClose={close} />
      ) : null}
      <div className="file-body">
        {phase === 'loading' ? <div className="file-note" aria-busy="true" /> : null}
        {phase === 'fault' ? <p className="file-note">{state.fault}</p> : null}
        {phase === 'other' ? <OtherFile session={session} state={state} name={name} /> : null}
        {phase === 'text' && state.document ? (
          <>
            <TextEditor
              session={session}
              document={state.document}
              isWritable={state.isWritable}
              isHidden={view !== 'text'}
              isWrapped={isWrapped}
              line={line}
              onSave={save}
            />
            {view === 'markdown' ? <MarkdownPreview text={state.document.text} /> : null}
            {view === 'image' ? <Picture session={session} state={state} name={name} /> : null}
          </>
        ) : null}
      </div>
    </>
  );
}

function Picture({ session, state, name }: { session: FileSession; state: FileState; name: string }) {
  const address = useSignedAddress(rawAddress(session.place, { version: String(state.version) }));
  return (
    <div className="file-picture">{address === undefined ? null : <img src={address} alt={name} />}</div>
  );
}

function OtherFile({ session, state, name }: { session: FileSession; state: FileState; name: string }) {
  const { other } = state;
  if (!other) return null;
  if (other.preview === 'image') return <Picture session={session} state={state} name={name} />;
  const what = other.kind === 'large' ? 'too large to open here' : 'not UTF-8 text';
  return (
    <div className="file-note">
      <p>
        {other.preview === 'pdf' ? 'A PDF document' : `This file is ${what}`} ({bytes(other.size)}).
      </p>
      <p className="file-links">
        {other.preview === 'pdf' ? <OpenDocument session={session} /> : null}
        <Download session={session} name={name} />
      </p>
    </div>
  );
}

function OpenDocument({ session }: { session: FileSession }) {
  const address = useSignedAddress(rawAddress(session.place), { renewed: true });
  return (
    <a className="button" data-look="primary" href={address} target="_blank" rel="noreferrer">
      Open in a new tab
    </a>
  );
}

function Download({ session, name }: { session: FileSession; name: string }) {
  const address = useSignedAddress(rawAddress(session.place, { keep: '1' }), { renewed: true });
  return (
    <a className="button" href={address} download={name}>
      Download
    </a>
  );
}

function MarkdownPreview({ text }: { text: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard
    <section className="file-preview" aria-label="Preview" tabIndex={0}>
      <div className="prose" ref={useMarkdown(text)} />
    </section>
  );
}
