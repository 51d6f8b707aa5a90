import { FileText, LoaderCircle, RotateCw, X } from 'lucide-react';
import { useState } from 'react';
import { bytes } from '../../kit/format.ts';
import { lazyComponent } from '../../kit/lazy-component.tsx';
import { useReadable } from '../../kit/use-readable.ts';
import { Icon } from '../../ui/Icon.tsx';
import { IconButton } from '../../ui/IconButton.tsx';
import type { Tray, TrayFile } from './tray.ts';

const ImageDialog = lazyComponent(() => import('./ImageDialog.tsx').then((part) => part.ImageDialog));

/** The attachments of the next message: preview, state, remove; and why other files were rejected. */
export function TrayChips({ tray }: { tray: Tray }) {
  const { files, refusals } = useReadable(tray.state);
  if (files.length === 0 && refusals.length === 0) return null;
  return (
    <div className="tray">
      {refusals.length > 0 ? (
        <ul className="tray-refusals" role="alert">
          {refusals.map((why) => (
            <li key={why}>{why}</li>
          ))}
        </ul>
      ) : null}
      {files.length > 0 ? (
        <ul className="chips" aria-label="Files to send">
          {files.map((file) => (
            <li key={file.id}>
              <TrayChip file={file} tray={tray} />
            </li>
          ))}
        </ul>
      ) : null}
    </div>
  );
}

function TrayChip({ file, tray }: { file: TrayFile; tray: Tray }) {
  const [isOpen, setOpen] = useState(false);
  const { id, name, size, state, preview, fault } = file;
  return (
    <span className="file-chip" data-state={state} title={fault ? `${name}: ${fault}` : name}>
      {preview === undefined ? (
        <Icon icon={state === 'loading' ? LoaderCircle : FileText} size={14} />
      ) : (
        <button
          type="button"
          className="file-chip-look"
          aria-label={`Show ${name}`}
          onClick={() => setOpen(true)}
        >
          <img className="file-chip-picture" src={preview} alt="" />
        </button>
      )}
      <span className="truncate">{name}</span>
      {state === 'failed' ? (
        <>
          <span className="file-chip-fault">{fault}</span>
          <IconButton icon={RotateCw} label={`Retry ${name}`} onClick={() => tray.retry(id)} />
        </>
      ) : (
        <span className="file-chip-size">{state === 'loading' ? 'Uploading…' : bytes(size)}</span>
      )}
      <IconButton icon={X} label={`Remove ${name}`} onClick={() => tray.remove(id)} />
      {isOpen && preview !== undefined ? (
        <ImageDialog name={name} url={preview} onClose={() => setOpen(false)} />
      ) : null}
    </span>
  );
}
