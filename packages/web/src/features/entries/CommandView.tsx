import type { CommandEntry } from '@tugdeck/protocol/conversation/entries';
import { lazyComponent } from '../../kit/lazy-component.tsx';
import { visibleText } from '../../kit/visible-text.ts';
import { StreamedText } from '../conversation/StreamedText.tsx';
import { contextParts } from './context-parts.ts';

const ContextPicture = lazyComponent(() =>
  import('./ContextPicture.tsx').then((part) => part.ContextPicture),
);

/** A slash command and its output. */
export function CommandView({ entry }: { entry: CommandEntry }) {
  const parts = contextParts(entry.data);
  return (
    <div className="command">
      <code className="command-name">/{visibleText(entry.name.replace(/^\//, ''))}</code>
      {parts ? <ContextPicture parts={parts} /> : entry.text ? <StreamedText id={entry.id} /> : null}
    </div>
  );
}
