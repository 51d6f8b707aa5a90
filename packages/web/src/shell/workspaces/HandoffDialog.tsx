/** Hands off a session between the checkout and a workspace (B72): shows what is carried first. */
import { workspaces as workspacesArea } from '@tugdeck/protocol/areas/workspaces';
import type { HandoffPreview } from '@tugdeck/protocol/workspaces/handoff';
import { useState } from 'react';
import { useClient } from '../../kit/client-context.tsx';
import { plural } from '../../kit/format.ts';
import { useArea, useReply } from '../../kit/use-area.ts';
import { useReadable } from '../../kit/use-readable.ts';
import { visiblePath, visibleText } from '../../kit/visible-text.ts';
import { Button } from '../../ui/Button.tsx';
import { Dialog } from '../../ui/Dialog.tsx';

export interface HandoffDialogProps {
  session: string;
  onClose: () => void;
}

export function HandoffDialog({ session, onClose }: HandoffDialogProps) {
  const deck = useReadable(useClient().deck);
  const row = deck?.sessions.find(({ id }) => id === session);
  const area = useArea(workspacesArea, row && { project: row.project });
  const targets = [
    ...(row?.workspace === undefined
      ? [{ id: 'new', label: 'New workspace' }]
      : [{ id: 'checkout', label: 'Checkout' }]),
    ...(deck?.workspaces ?? [])
      .filter((one) => one.project === row?.project && one.state === 'ready' && one.id !== row?.workspace)
      .map(({ id, name }) => ({ id, label: visibleText(name) })),
  ];
  const [chosen, setChosen] = useState<string>();
  const [take, setTake] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const to = chosen ?? targets[0]?.id ?? 'checkout';
  const { value, fault } = useReply(area.channel, 'handoff.look', { session, to });
  const handOff = async () => {
    if (!value) return;
    setBusy(true);
    const request = { session, to, hash: value.hash, ...(take && to === 'new' ? { take } : {}) };
    const isDone = await area.act((channel) => channel.call('handoff', request));
    setBusy(false);
    if (isDone) onClose();
  };
  const problem = fault ?? area.fault ?? value?.refusal;
  const isReady =
    value !== undefined && value.refusal === undefined && value.conflicts.length === 0 && !isBusy;
  return (
    <Dialog title="Hand off session" onClose={onClose}>
      <label className="field-label">
        <span>Continue in</span>
        <select className="field" value={to} onChange={(event) => setChosen(event.target.value)}>
          {targets.map(({ id, label }) => (
            <option key={id} value={id}>
              {label}
            </option>
          ))}
        </select>
      </label>
      {value ? (
        <ul className="archive-lines">
          {handoffLines(value, to).map((line) => (
            <li key={line}>{visibleText(line)}</li>
          ))}
        </ul>
      ) : (
        <p className="dialog-note">{problem === undefined ? 'Comparing files…' : ''}</p>
      )}
      {to === 'new' ? (
        <label className="check">
          <input type="checkbox" checked={take} onChange={(event) => setTake(event.target.checked)} />
          Remove the changes from the checkout
        </label>
      ) : null}
      {problem === undefined ? null : (
        <p className="fault" role="alert">
          {visibleText(problem)}
        </p>
      )}
      <div className="dialog-actions">
        <Button onClick={onClose}>Cancel</Button>
        <Button look="primary" disabled={!isReady} onClick={() => void handOff()}>
          {isBusy ? 'Handing off…' : 'Hand off'}
        </Button>
      </div>
    </Dialog>
  );
}

function handoffLines({ files, merged, conflicts, from }: HandoffPreview, to: string): string[] {
  const where = to === 'new' ? 'the new workspace' : to === 'checkout' ? 'the checkout' : 'that workspace';
  const merging = merged > 0 ? `, ${merged} of them merged with changes there` : '';
  return [
    conflicts.length > 0
      ? `Changed on both sides, or too large: ${conflicts.slice(0, 6).map(visiblePath).join(', ')}. Nothing can be handed off until one side is committed or undone.`
      : files === 0
        ? `No files to copy into ${where}`
        : `${plural(files, 'file')} will be copied into ${where}, uncommitted${merging}`,
    'The agent continues there with its conversation. Your next message tells it about the new directory.',
    `Nothing changes in ${visiblePath(from)}.`,
  ];
}
