import type { AgentOption, Choice } from '@tugdeck/protocol/conversation/session-info';
import type { Conversation, Wanted } from '@tugdeck/protocol/conversation/state';
import { SlidersHorizontal } from 'lucide-react';
import { useState } from 'react';
import { useCard } from '../../../features/conversation/card-context.tsx';
import { faultText } from '../../../kit/deck-actions.ts';
import { Icon } from '../../../ui/Icon.tsx';
import { Menu } from '../../../ui/Menu.tsx';
import { Picker } from './Picker.tsx';
import { PickerRow } from './PickerRow.tsx';

/** Pickers for model, mode and the agent's first option (usually its effort); the others are behind a button. */
export function Pickers({ conversation }: { conversation: Pick<Conversation, 'facts' | 'wanted'> }) {
  const { facts, wanted } = conversation;
  const [first, ...others] = facts.options ?? [];
  return (
    <PickerRow>
      <Picker
        name="Model"
        option="model"
        value={wanted.model ?? facts.model}
        choices={facts.models}
        isPending={wanted.model !== undefined}
      />
      <Picker
        name="Mode"
        option="mode"
        value={wanted.mode ?? facts.mode}
        choices={facts.modes}
        isPending={wanted.mode !== undefined}
      />
      {first ? (
        <Picker
          name={first.label}
          option={first.id}
          value={wanted[first.id] ?? first.value}
          choices={choicesOf(first)}
          isPending={wanted[first.id] !== undefined}
        />
      ) : null}
      <MoreSettings options={others} wanted={wanted} />
    </PickerRow>
  );
}

/** Rarely changed settings behind one button, because the header has little room. */
function MoreSettings({ options, wanted }: { options: readonly AgentOption[]; wanted: Wanted }) {
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

const ON_OFF = ['true', 'false'] as const;

/** The choices of an agent option. */
function choicesOf({ kind, label, choices = [] }: AgentOption): readonly Choice[] {
  if (kind === 'select') return choices;
  return ON_OFF.map((id) => ({ id, label: `${label} ${id === 'true' ? 'on' : 'off'}` }));
}
