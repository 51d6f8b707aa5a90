/** The attachments of a user message (C1): name and size; images with a preview that opens. */
import type { Attachment } from '@tugdeck/protocol/conversation/entries';
import { FileText } from 'lucide-react';
import { useState } from 'react';
import { bytes } from '../../kit/format.ts';
import { lazyComponent } from '../../kit/lazy-component.tsx';
import { visiblePath } from '../../kit/visible-text.ts';
import { Icon } from '../../ui/Icon.tsx';
import { useCard } from '../conversation/card-context.tsx';
import { isImage, useImage } from './use-image.ts';

const ImageDialog = lazyComponent(() => import('./ImageDialog.tsx').then((part) => part.ImageDialog));

export function AttachmentChips({ list }: { list: readonly Attachment[] }) {
  return (
    <ul className="chips" aria-label="Attached files">
      {list.map((file, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the list of a sent message never changes
        <li key={at}>{isImage(file) ? <ImageChip file={file} /> : <FileChip file={file} />}</li>
      ))}
    </ul>
  );
}

function FileChip({ file }: { file: Attachment }) {
  return (
    <span className="file-chip" title={visiblePath(file.name)}>
      <Icon icon={FileText} size={14} />
      <span className="truncate">{visiblePath(file.name)}</span>
      <span className="file-chip-size">{bytes(file.size)}</span>
    </span>
  );
}

function ImageChip({ file }: { file: Attachment }) {
  const { session } = useCard();
  const { url, fault: unloaded } = useImage(session, file);
  const [undrawn, setUndrawn] = useState<string>();
  const fault = unloaded ?? undrawn;
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button
        type="button"
        className="file-chip file-chip-image"
        title={fault ?? visiblePath(file.name)}
        disabled={url === undefined || fault !== undefined}
        onClick={() => setOpen(true)}
      >
        {url === undefined || fault !== undefined ? (
          <span className="file-chip-picture" />
        ) : (
          <img className="file-chip-picture" src={url} alt="" onError={() => setUndrawn('Can’t be shown')} />
        )}
        <span className="visually-hidden">Show </span>
        <span className="truncate">{visiblePath(file.name)}</span>
        <span className="file-chip-size">{fault ?? bytes(file.size)}</span>
      </button>
      {isOpen && url !== undefined ? (
        <ImageDialog name={file.name} url={url} onClose={() => setOpen(false)} />
      ) : null}
    </>
  );
}
