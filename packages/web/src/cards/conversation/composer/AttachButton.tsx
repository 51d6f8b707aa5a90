/** Attaches files. On a touch screen it offers the camera and the photos as well, which browsers only open by type. */
import { Paperclip } from 'lucide-react';
import { useRef } from 'react';
import { TOUCH, useMedia } from '../../../kit/use-media.ts';
import { Icon } from '../../../ui/Icon.tsx';
import { IconButton } from '../../../ui/IconButton.tsx';
import { Menu } from '../../../ui/Menu.tsx';

const LABEL = 'Attach files';
const SOURCES = [
  { id: 'camera', label: 'Take photo', accept: 'image/*', capture: 'environment' },
  { id: 'photos', label: 'Choose photos', accept: 'image/*', capture: undefined },
  { id: 'files', label: 'Choose files', accept: undefined, capture: undefined },
] as const;

export function AttachButton({ onChoose }: { onChoose: (files: FileList) => void }) {
  const isTouch = useMedia(TOUCH);
  const input = useRef<HTMLInputElement>(null);
  const choose = ({ accept, capture }: Pick<(typeof SOURCES)[number], 'accept' | 'capture'>) => {
    if (!input.current) return;
    input.current.accept = accept ?? '';
    if (capture === undefined) input.current.removeAttribute('capture');
    else input.current.setAttribute('capture', capture);
    input.current.click();
  };
  return (
    <>
      {isTouch ? (
        <Menu
          label={LABEL}
          title={LABEL}
          className="icon-button"
          choices={SOURCES.map((source) => ({
            id: source.id,
            label: source.label,
            onChoose: () => choose(source),
          }))}
        >
          <Icon icon={Paperclip} />
        </Menu>
      ) : (
        <IconButton icon={Paperclip} label={LABEL} onClick={() => input.current?.click()} />
      )}
      <input
        ref={input}
        type="file"
        multiple
        hidden
        tabIndex={-1}
        aria-hidden="true"
        onChange={(event) => {
          if (event.target.files) onChoose(event.target.files);
          // Reset, so that choosing the same file again fires a change event.
          event.target.value = '';
        }}
      />
    </>
  );
}
