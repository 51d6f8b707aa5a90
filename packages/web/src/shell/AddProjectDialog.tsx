import { type FormEvent, useState } from 'react';
import { MachineSelect } from '../features/machines/MachineSelect.tsx';
import { useClient } from '../kit/client-context.tsx';
import { faultText } from '../kit/deck-actions.ts';
import { showFault } from '../kit/undo.ts';
import { Button } from '../ui/Button.tsx';
import { Dialog } from '../ui/Dialog.tsx';
import { FolderBrowser } from './FolderBrowser.tsx';
import { addProject, openProject } from './initial-route.ts';

export interface AddProjectDialogProps {
  onClose: () => void;
}

export function AddProjectDialog({ onClose }: AddProjectDialogProps) {
  const client = useClient();
  const [machine, setMachine] = useState<string>();
  const [path, setPath] = useState('');
  const [fault, setFault] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const choose = (next: string) => {
    setPath(next);
    setFault(undefined);
  };
  const add = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    try {
      const project = await addProject(client, path.trim(), machine);
      onClose();
      const deck = client.deck.get();
      if (deck) await openProject(client, deck, project).catch((error) => showFault(faultText(error)));
    } catch (error) {
      setFault(faultText(error));
      setBusy(false);
    }
  };
  return (
    <Dialog title="Add project" onClose={onClose}>
      <form onSubmit={add} style={{ display: 'contents' }}>
        <MachineSelect
          machine={machine}
          onMachine={(next) => {
            setMachine(next);
            choose('');
          }}
        />
        <label className="field-label">
          <span>Path</span>
          <input
            className="field mono"
            value={path}
            placeholder="Type a path, or choose a folder below"
            spellCheck={false}
            autoComplete="off"
            aria-describedby="add-project-note"
            aria-invalid={fault !== undefined}
            onChange={(event) => choose(event.target.value)}
          />
        </label>
        <FolderBrowser key={machine} machine={machine} path={path} onPath={choose} />
        <p
          id="add-project-note"
          className={fault ? 'fault' : 'dialog-note'}
          role={fault ? 'alert' : undefined}
        >
          {fault ?? `A folder on ${machine ?? 'the machine that runs Tugdeck'}`}
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
