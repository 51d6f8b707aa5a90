import type { CommandEntry } from '@tugdeck/protocol/conversation/entries';
import { visibleText } from '../../../ui/visible-text.ts';
import { StreamedText } from './StreamedText.tsx';

/** A slash command of the user, and what it said. */
export function CommandView({ entry }: { entry: CommandEntry }) {
  return (
    <div className="command">
      <code className="command-name">/{visibleText(entry.name.replace(/^\//, ''))}</code>
      {entry.text ? <StreamedText id={entry.id} /> : null}
    </div>
  );
}
