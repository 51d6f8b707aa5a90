/** A comment on a line: its text, whether it was sent, and the agent's answer. */
import type { ReviewComment } from '@tugdeck/protocol/review/review-messages';
import { type KeyboardEvent, useState } from 'react';
import { useMarkdown } from '../../features/prose/use-markdown.ts';
import { Button } from '../../ui/Button.tsx';
import type { ReviewStore } from './review-store.ts';

export function CommentThread({ comment, store }: { comment: ReviewComment; store: ReviewStore }) {
  const [isEditing, setEditing] = useState(false);
  const isSent = comment.sentAt !== undefined;
  if (isEditing) {
    return (
      <CommentEditor
        label={`Edit comment ${comment.id}`}
        initial={comment.text}
        action="Save"
        onSave={(text) => store.editComment(comment.id, text)}
        onClose={() => setEditing(false)}
      />
    );
  }
  return (
    <article className="review-comment" aria-label={`Comment ${comment.id}`}>
      <p className="review-comment-text">{comment.text}</p>
      <footer className="review-comment-foot">
        <span>
          {comment.id} · {isSent ? (comment.answer === undefined ? 'sent' : 'answered') : 'not sent yet'}
        </span>
        {isSent ? null : (
          <Button look="link" onClick={() => setEditing(true)}>
            Edit
          </Button>
        )}
        <Button look="link" onClick={() => store.removeComment(comment.id)}>
          Delete
        </Button>
      </footer>
      {comment.answer === undefined ? null : <Answer text={comment.answer} />}
    </article>
  );
}

/** Rendered as in the conversation: agents write Markdown. */
function Answer({ text }: { text: string }) {
  return (
    <blockquote className="review-answer">
      <div className="prose" ref={useMarkdown(text)} />
    </blockquote>
  );
}

export interface CommentEditorProps {
  label: string;
  initial?: string;
  action: string;
  /** Resolves with whether it was saved; the editor then closes. */
  onSave: (text: string) => Promise<boolean>;
  onClose: () => void;
}

export function CommentEditor({ label, initial = '', action, onSave, onClose }: CommentEditorProps) {
  const [text, setText] = useState(initial);
  const save = async () => {
    if (text.trim() !== '' && (await onSave(text))) onClose();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    event.stopPropagation();
    if (event.key === 'Escape') onClose();
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    void save();
  };
  return (
    <form
      className="review-editor"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <textarea
        className="field"
        aria-label={label}
        rows={2}
        // biome-ignore lint/a11y/noAutofocus: it appears because the user asked to write here
        autoFocus
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={onKeyDown}
      />
      <div className="review-editor-acts">
        <Button look="quiet" onClick={onClose}>
          Cancel
        </Button>
        <Button type="submit" look="primary" disabled={text.trim() === ''}>
          {action}
        </Button>
      </div>
    </form>
  );
}
