import { Fragment } from 'react';
import { Button } from '../ui/Button.tsx';
import { Dialog } from '../ui/Dialog.tsx';
import { KEYS, keyNames } from './keys.ts';

/** All keys in one place (D4). */
export function KeyboardPage({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title="Keyboard" onClose={onClose}>
      <div className="keys-page">
        {KEYS.map(({ where, keys }) => (
          <Fragment key={where}>
            <h3>{where}</h3>
            <dl className="keys">
              {keys.map(({ press, does }) => (
                <Fragment key={press}>
                  <dt>
                    {keyNames(press).map((name) => (
                      <kbd key={name}>{name}</kbd>
                    ))}
                  </dt>
                  <dd>{does}</dd>
                </Fragment>
              ))}
            </dl>
          </Fragment>
        ))}
      </div>
      <div className="dialog-actions">
        <Button onClick={onClose}>Close</Button>
      </div>
    </Dialog>
  );
}
