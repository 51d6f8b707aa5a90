import type { AgentOption } from '@tugdeck/protocol/conversation/session-info';
import type { Wanted } from '@tugdeck/protocol/conversation/state';
import { SlidersHorizontal } from 'lucide-react';
import { useState } from 'react';
import { useCard } from '../../../features/conversation/card-context.tsx';
import { faultText } from '../../../kit/deck-actions.ts';
import { Icon } from '../../../ui/Icon.tsx';
import { Menu } from '../../../ui/Menu.tsx';
import { choicesOf } from './option-choices.ts';

/** Rarely changed settings behind one button, because the header has little room. */
export function MoreSettings({ options, wanted }: { options: readonly AgentOption[]; wanted: Wanted }) {
  const { channel } = useCard();
  const [fault, setFault] = useState<string>();
  if (options.length === 0) return null;
  const configure = (option: string, value: string) => {
    setFault(undefined);
    channel.send({ kind: 'session.configure', option, value }).catch((error) => setFault(faultText(error)));
  };
  return (
    <Menu
      label="More settings"
      title={fault ?? 'More settings'}
      className="icon-button"
      choices={options.flatMap((option) =>
        choicesOf(option).map((choice) => ({
          id: `${option.id}-${choice.id}`,
          label: option.kind === 'boolean' ? choice.label : `${option.label}: ${choice.label}`,
          detail: choice.description,
          checked: choice.id === (wanted[option.id] ?? option.value),
          onChoose: () => configure(option.id, choice.id),
        })),
      )}
    >
      <Icon icon={SlidersHorizontal} size={14} />
    </Menu>
  );
}
