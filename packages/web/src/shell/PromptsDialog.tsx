/** Saved prompts (D49): saves the message being written, edits and deletes. */
import { Pencil, Trash2 } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import {
  deletePrompt,
  MAX_PROMPT_NAME,
  MAX_PROMPT_TEXT,
  promptName,
  prompts,
  type SavedPrompt,
  savePrompt,
  variablesOf,
} from '../kit/prompts.ts';
import { useReadable } from '../kit/use-readable.ts';
import { visibleText } from '../kit/visible-text.ts';
import { Button } from '../ui/Button.tsx';
import { ConfirmDialog } from '../ui/ConfirmDialog.tsx';
import { Dialog } from '../ui/Dialog.tsx';
import { IconButton } from '../ui/IconButton.tsx';
import './small-dialogs.css';

export interface PromptsDialogProps {
  /** The text of a new prompt; undefined: shows the list. */
  text: string | undefined;
  onClose: () => void;
}

export function PromptsDialog({ text, onClose }: PromptsDialogProps) {
  const all = useReadable(prompts);
  const [edited, setEdited] = useState<SavedPrompt>();
  const [deleted, setDeleted] = useState<string>();
  if (text !== undefined) return <PromptForm start={{ name: '', text }} onDone={onClose} />;
  if (edited) return <PromptForm start={edited} before={edited.name} onDone={() => setEdited(undefined)} />;
  return (
    <Dialog title="Saved prompts" onClose={onClose}>
      {all.length === 0 ? <p className="pane-note">No saved prompts</p> : null}
      <ul className="prompt-list">
        {all.map((prompt) => (
          <li key={prompt.name}>
            <span className="truncate">{visibleText(prompt.name)}</span>
            <span className="truncate muted">{visibleText(prompt.text)}</span>
            <IconButton
              icon={Pencil}
              label={`Edit ${visibleText(prompt.name)}`}
              onClick={() => setEdited(prompt)}
            />
            <IconButton
              icon={Trash2}
              label={`Delete ${visibleText(prompt.name)}`}
              onClick={() => setDeleted(prompt.name)}
            />
          </li>
        ))}
      </ul>
      <div className="dialog-actions">
        <Button onClick={() => setEdited({ name: '', text: '' })}>New prompt</Button>
        <Button look="primary" onClick={onClose}>
          Done
        </Button>
      </div>
      {deleted === undefined ? null : (
        <ConfirmDialog
          title="Delete prompt"
          text={`“${visibleText(deleted)}” can’t be restored.`}
          action="Delete"
          onConfirm={() => deletePrompt(deleted)}
          onClose={() => setDeleted(undefined)}
        />
      )}
    </Dialog>
  );
}

function PromptForm({ start, before, onDone }: { start: SavedPrompt; before?: string; onDone: () => void }) {
  const [name, setName] = useState(start.name);
  const [text, setText] = useState(start.text.slice(0, MAX_PROMPT_TEXT));
  const [fault, setFault] = useState<string>();
  const names = variablesOf(text);
  const save = (event: FormEvent) => {
    event.preventDefault();
    const refusal = savePrompt({ name: promptName(name), text }, before === '' ? undefined : before);
    if (refusal === undefined) onDone();
    else setFault(refusal);
  };
  return (
    <Dialog title={start.name === '' ? 'Save prompt' : 'Edit prompt'} onClose={onDone}>
      <form className="prompt-form" onSubmit={save}>
        <label>
          Name
          <input
            className="field"
            placeholder="review"
            maxLength={MAX_PROMPT_NAME}
            autoComplete="off"
            spellCheck={false}
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
        </label>
        <label>
          Text
          <textarea
            className="field"
            rows={8}
            maxLength={MAX_PROMPT_TEXT}
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        </label>
        <p className="pane-note">
          {names.length > 0 ? (
            `Asks for ${names.map(visibleText).join(', ')}`
          ) : (
            <>
              Fill in a variable such as <code>{'{{file}}'}</code> when you insert the prompt.
            </>
          )}
        </p>
        {fault ? (
          <p className="fault" role="alert">
            {fault}
          </p>
        ) : null}
        <div className="dialog-actions">
          <Button onClick={onDone}>Cancel</Button>
          <Button look="primary" type="submit">
            Save
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
