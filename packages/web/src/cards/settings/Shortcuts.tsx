import { runAction } from '../../kit/action-runners.ts';
import { actionKeys } from '../../kit/keys/key-names.ts';
import { KEY_TABLE } from '../../kit/keys/key-table.ts';
import { keymap } from '../../kit/keys/keymap.ts';
import { useReadable } from '../../kit/use-readable.ts';
import { Button } from '../../ui/Button.tsx';

/** The ones to learn first. */
const FIRST = [
  'palette.open',
  'session.new',
  'request.next',
  'home.show',
  'terminal.toggle',
  'panel.changes',
];

export function Shortcuts() {
  const map = useReadable(keymap);
  return (
    <>
      <dl className="settings-keys">
        {KEY_TABLE.filter(({ id }) => FIRST.includes(id)).map(({ id, does }) => (
          <div key={id}>
            <dt>{does}</dt>
            <dd>
              <kbd>{actionKeys(id, map) ?? 'None'}</kbd>
            </dd>
          </div>
        ))}
      </dl>
      <Button onClick={() => runAction('keyboard.show')}>All shortcuts</Button>
    </>
  );
}
