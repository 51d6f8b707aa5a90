/** The preview of a restore (T11): what happens to which file, what stays, what the agent remembers; then Restore. */
import type { UserEntry } from '@tugdeck/protocol/conversation/entries';
import type { RestorePreview } from '@tugdeck/protocol/conversation/restore';
import { useCallback, useEffect, useRef, useState } from 'react';
import { faultText } from '../../kit/deck-actions.ts';
import { useReadable } from '../../kit/use-readable.ts';
import { visibleText } from '../../kit/visible-text.ts';
import { AnswerNote } from '../../ui/answers/AnswerNote.tsx';
import { useAnswerGuard } from '../../ui/answers/use-answer-guard.ts';
import { Button } from '../../ui/Button.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import { trayOf } from '../attachments/tray.ts';
import { useCard } from '../conversation/card-context.tsx';
import { fillBox } from '../prompt/fill-box.ts';
import { attachFilesNote } from './note-files.ts';
import { type Part, PreviewBody } from './PreviewBody.tsx';
import type { Choices } from './RestoreFileGroup.tsx';
import { hasFiles } from './restore-records.ts';

/** Progress is shown for restores that take longer. */
const PROGRESS_MS = 1_000;

export function RestoreDialog() {
  const { restoring } = useCard();
  const open = useReadable(restoring);
  return open === undefined ? null : (
    <OpenDialog
      key={open.entry}
      id={open.entry}
      isTurn={open.isTurn}
      onClose={() => restoring.set(undefined)}
    />
  );
}

interface OpenDialogProps {
  id: string;
  isTurn: boolean;
  onClose: () => void;
}

function OpenDialog({ id, isTurn, onClose }: OpenDialogProps) {
  const { channel } = useCard();
  const entry = useReadable(channel.entry(id));
  const [preview, setPreview] = useState<RestorePreview>();
  const [fault, setFault] = useState<string>();
  const [choices, setChoices] = useState<Choices>({});
  const [chosen, setPart] = useState<Part>('both');
  const [movesBranch, setMovesBranch] = useState(false);
  const [startedAt, setStartedAt] = useState<number>();
  const [isSlow, setSlow] = useState(false);
  const foot = useRef<HTMLDivElement>(null);

  const load = useCallback(async () => {
    try {
      setPreview(await channel.preview({ entry: id }));
    } catch (error) {
      setFault(faultText(error));
    }
  }, [channel, id]);
  useEffect(() => void load(), [load]);
  useEffect(() => {
    if (startedAt === undefined) return;
    const timer = setTimeout(() => setSlow(true), PROGRESS_MS);
    return () => clearTimeout(timer);
  }, [startedAt]);

  const part = hasFiles(preview) ? chosen : 'conversation';
  const isBusy = startedAt !== undefined;
  const text = entry?.kind === 'user' ? entry.text : '';
  const guard = useAnswerGuard(`restore ${preview?.plan ?? ''}`);

  const restore = async () => {
    if (!preview || isBusy || !guard.mayAnswer()) return;
    const tip = movesBranch && part !== 'conversation' ? preview.branch?.tip : undefined;
    const parts = {
      files: part !== 'conversation',
      conversation: part !== 'files',
      ...(tip === undefined ? {} : { branch: true }),
    };
    const card = foot.current?.closest('.card');
    const box = card?.querySelector<HTMLTextAreaElement>('textarea[aria-label="Message"]') ?? null;
    setFault(undefined);
    setStartedAt(performance.now());
    try {
      await channel.send({
        kind: 'restore.to',
        entry: id,
        parts,
        ...(parts.files && preview.plan !== undefined ? { plan: preview.plan } : {}),
        ...(tip === undefined ? {} : { tip }),
        ...(parts.files && Object.keys(choices).length > 0 ? { choices } : {}),
      });
      onClose();
      if (parts.conversation && entry?.kind === 'user') {
        await composeAgain(channel, entry, box, preview.memory === 'told');
      }
      if (!parts.conversation) attachFilesNote(channel.session, preview, choices);
    } catch (error) {
      setStartedAt(undefined);
      setSlow(false);
      setFault(faultText(error));
      const isStale = error instanceof Error && 'code' in error && error.code === 'RESTORE_CHANGED';
      if (!isStale) return;
      setFault('Files changed since this list was made. This is the new one.');
      await load();
    }
  };

  return (
    <Dialog
      title={isTurn ? 'Undo this turn' : 'Restore to here'}
      onClose={isBusy ? () => undefined : onClose}
    >
      <p className="dialog-text restore-message">
        Before “{visibleText(text.replace(/\s+/g, ' ').trim().slice(0, 120)) || 'this message'}”
      </p>
      <div className="restore-body">
        {preview ? (
          <PreviewBody
            preview={preview}
            part={part}
            choices={choices}
            entry={id}
            isTurn={isTurn}
            movesBranch={movesBranch}
            onBranch={setMovesBranch}
            onPart={setPart}
            onChoice={(path, choice) => setChoices({ ...choices, [path]: choice })}
          />
        ) : fault === undefined ? (
          <p role="status" className="muted">
            Comparing files…
          </p>
        ) : null}
      </div>
      {fault ? (
        <p className="fault" role="alert">
          {fault}
        </p>
      ) : null}
      {isSlow ? (
        <p role="status" className="restore-progress">
          <progress aria-label="Restoring" /> Restoring…
        </p>
      ) : null}
      <div
        className="dialog-actions"
        ref={(element) => {
          foot.current = element;
          return guard.ref(element);
        }}
        aria-disabled={guard.isResting || undefined}
      >
        <AnswerNote refusal={guard.refusal} />
        <Button onClick={onClose} disabled={isBusy} autoFocus>
          Cancel
        </Button>
        <Button look="primary" onClick={restore} disabled={!preview || isBusy}>
          {isTurn ? 'Undo' : 'Restore'}
        </Button>
      </div>
    </Dialog>
  );
}

/** Puts the message back into the composer, above what was typed there (T23), and attaches the history if needed. */
async function composeAgain(
  channel: ReturnType<typeof useCard>['channel'],
  entry: UserEntry,
  box: HTMLTextAreaElement | null,
  isHandedHistory: boolean,
): Promise<void> {
  const typed = box?.value ?? '';
  if (typed !== entry.text) fillBox(box, typed === '' ? entry.text : `${entry.text}\n\n${typed}`);
  if (entry.attachments?.length) trayOf(channel.session).restore(entry.attachments);
  if (!isHandedHistory) return;
  const { attachHistory } = await import('./attach-history.ts');
  await attachHistory(channel, entry.seq, box);
}
