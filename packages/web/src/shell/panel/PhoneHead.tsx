import { ChevronLeft } from 'lucide-react';
import { isPanelOpen } from '../../kit/session-panel.ts';
import { IconButton } from '../../ui/IconButton.tsx';

/** Title of the panel on a phone, with the way back to the conversation. */
export function PhoneHead({ title }: { title: string }) {
  return (
    <>
      <IconButton icon={ChevronLeft} label="Back" onClick={() => isPanelOpen.set(false)} />
      <h2 className="panel-title truncate">{title}</h2>
    </>
  );
}
