/** Mounts the editor and connects it to the file session. */
import type { FileDocument } from '@tugdeck/protocol/files/document';
import { MessageSquareQuote } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { createEditor, type Editor, type EditorSelectionFacts } from '../../features/editor/create-editor.ts';
import { requestedPlace } from '../../features/files/open-file.ts';
import { quoteLines } from '../../features/prompt/add-to-prompt.ts';
import { useClient } from '../../kit/client-context.tsx';
import { useReadable } from '../../kit/use-readable.ts';
import { Button } from '../../ui/Button.tsx';
import { Icon } from '../../ui/Icon.tsx';
import type { FileSession } from './file-session.ts';

export interface TextEditorProps {
  session: FileSession;
  document: FileDocument;
  isWritable: boolean;
  isHidden: boolean;
  isWrapped: boolean;
  line: number | undefined;
  onSave: () => void;
}

export function TextEditor(props: TextEditorProps) {
  const { session, document, isWritable, isHidden, isWrapped, line, onSave } = props;
  const host = useRef<HTMLDivElement>(null);
  const editor = useRef<Editor>(undefined);
  const latest = useRef({ document, line, isWritable, onSave });
  latest.current = { document, line, isWritable, onSave };
  const [selection, setSelection] = useState<EditorSelectionFacts>();

  useEffect(() => {
    if (!host.current) return;
    const { document: now, line: first } = latest.current;
    const made = createEditor({
      host: host.current,
      path: session.place.path,
      text: now.text,
      isWritable: latest.current.isWritable,
      onTyped: (text) => session.typed(text),
      onSave: () => latest.current.onSave(),
      onSelected: setSelection,
    });
    editor.current = made;
    if (first !== undefined) made.goTo(first);
    return () => {
      session.flush();
      made.destroy();
    };
  }, [session]);

  const theirs = document.conflict?.theirs;
  useEffect(() => {
    editor.current?.show(document.text);
    editor.current?.compare(theirs);
  }, [document.text, theirs]);
  useEffect(() => {
    editor.current?.setWritable(isWritable);
    editor.current?.setWrapped(isWrapped);
  }, [isWritable, isWrapped]);
  useRequestedPlace(session, editor);

  return (
    <div className="file-editor" hidden={isHidden} data-writes="">
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the editor inside takes the focus */}
      <div
        ref={host}
        className="file-editor-host"
        tabIndex={-1}
        data-card-focus=""
        onFocus={(event) => {
          if (event.target === host.current && !host.current?.shadowRoot?.activeElement)
            editor.current?.focus();
        }}
      />
      {selection ? <AskBar session={session} selection={selection} /> : null}
    </div>
  );
}

function AskBar({ session, selection }: { session: FileSession; selection: EditorSelectionFacts }) {
  const client = useClient();
  return (
    <div className="file-ask">
      <Button
        look="quiet"
        onMouseDown={(event) => event.preventDefault()}
        onClick={() => quoteLines(client, session.place, selection)}
      >
        <Icon icon={MessageSquareQuote} size={14} /> Ask about this
      </Button>
    </div>
  );
}

/** Scrolls to a line of this file that was requested while it is open. */
function useRequestedPlace(session: FileSession, editor: { readonly current: Editor | undefined }): void {
  const wanted = useReadable(requestedPlace);
  useEffect(() => {
    if (wanted?.path !== session.place.path || wanted.project !== session.place.project) return;
    requestedPlace.set(undefined);
    editor.current?.goTo(wanted.line);
  }, [wanted, session, editor]);
}
