import { type FormEvent, useState } from 'react';
import { Button } from '../ui/Button.tsx';
import { Dialog } from '../ui/Dialog.tsx';
import { useClient } from './client-context.tsx';
import { faultText } from './deck-actions.ts';
import { FolderBrowser } from './FolderBrowser.tsx';

export function AddProjectDialog({ onClose }: { onClose: () => void }) {
  const client = useClient();
  const [path, setPath] = useState('');
  const [fault, setFault] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const add = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    try {
      await client.request({ type: 'project.add', path: path.trim() });
      onClose();
    } catch (error) {
      setFault(faultText(error));
      setBusy(false);
    }
  };
  return (
    <Dialog title="Add project" onClose={onClose}>
      <form onSubmit={add} style={{ display: 'contents' }}>
        <label className="field-label">
          <span>Path</span>
          <input
            className="field mono"
            value={path}
            placeholder="/home/me/project"
            spellCheck={false}
            autoComplete="off"
            aria-describedby="add-project-note"
            onChange={(event) => setPath(event.target.value)}
          />
        </label>
        <FolderBrowser path={path} onPath={setPath} />
        <p
          id="add-project-note"
          className={fault ? 'fault' : 'dialog-note'}
          role={fault ? 'alert' : undefined}
        >
          {fault ?? 'A directory on the machine that tugdeck runs on.'}
        </p>
        <div className="dialog-actions">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" disabled={isBusy || path.trim() === ''}>
            Add
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
