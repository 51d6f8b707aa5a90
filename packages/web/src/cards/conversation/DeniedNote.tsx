import type { Denial } from '@tugdeck/protocol/conversation/session-info';
import { plural } from '../../kit/format.ts';
import { visibleExact } from '../../kit/visible-text.ts';
import { Button } from '../../ui/Button.tsx';
import './denied.css';

export interface DeniedNoteProps {
  denied: readonly Denial[];
  onShow: (entry: string) => void;
}

/**
 * The permissions denied in the turn that just ended, as the agent reports them: by the user, a rule, a mode or a
 * hook.
 */
export function DeniedNote({ denied, onShow }: DeniedNoteProps) {
  return (
    <details className="denied" aria-label="Denied permissions">
      <summary>{plural(denied.length, 'permission')} denied in this turn</summary>
      <ul>
        {denied.map(({ entry, title }) => (
          <li key={entry}>
            <Button look="link" onClick={() => onShow(entry)}>
              {visibleExact(title)}
            </Button>
          </li>
        ))}
      </ul>
    </details>
  );
}
