/** Sets the tags of a session (D47): typed, or chosen among those in use. */
import { useState } from 'react';
import { useClient } from '../kit/client-context.tsx';
import { titleOf } from '../kit/projects.ts';
import { allTags, parseTags, setTags, tags } from '../kit/tags.ts';
import { useReadable, useSelected } from '../kit/use-readable.ts';
import { Button } from '../ui/Button.tsx';
import { Dialog } from '../ui/Dialog.tsx';
import './small-dialogs.css';

export function TagsDialog({ session, onClose }: { session: string; onClose: () => void }) {
  const all = useReadable(tags);
  const title = useSelected(useClient().deck, (deck) => {
    const row = deck?.sessions.find(({ id }) => id === session);
    return row ? titleOf(row) : '';
  });
  const [text, setText] = useState((all[session] ?? []).join(' '));
  const own = parseTags(text);
  const others = allTags(all).filter((tag) => !own.includes(tag));
  return (
    <Dialog title="Tags" onClose={onClose}>
      <form
        className="tags-form"
        onSubmit={(event) => {
          event.preventDefault();
          setTags(session, own);
          onClose();
        }}
      >
        <p className="pane-note">
          Words that find “{title}”: type <code>#word</code> in any session filter.
        </p>
        <input
          className="field"
          aria-label="Tags"
          placeholder="For example: release urgent"
          maxLength={100}
          autoComplete="off"
          spellCheck={false}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        {others.length === 0 ? null : (
          <p className="tags-known">
            {others.map((tag) => (
              <Button key={tag} look="quiet" onClick={() => setText([...own, tag].join(' '))}>
                #{tag}
              </Button>
            ))}
          </p>
        )}
        <div className="dialog-actions">
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" type="submit">
            Save
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
