import type { Choice } from '@tugdeck/protocol/conversation/session-facts';
import { ChevronDown } from 'lucide-react';
import { useState } from 'react';
import { faultText } from '../../../app/deck-actions.ts';
import { ConfirmDialog } from '../../../ui/ConfirmDialog.tsx';
import { Icon } from '../../../ui/Icon.tsx';
import { Menu } from '../../../ui/Menu.tsx';
import { useCard } from '../card-context.tsx';

export interface PickerProps {
  name: string;
  /** `mode`, `model`, or the id of one of the agent's options. */
  option: string;
  value: string | undefined;
  choices: readonly Choice[] | undefined;
  /** Asked for, but not yet confirmed by the agent. */
  isAsked: boolean;
}

/** One setting of the agent. A choice that lets everything through is asked for twice (A14). */
export function Picker({ name, option, value, choices, isAsked }: PickerProps) {
  const { channel } = useCard();
  const [fault, setFault] = useState<string>();
  const [dangerous, setDangerous] = useState<Choice>();
  if (value === undefined && !choices?.length) return null;
  const current = choices?.find(({ id }) => id === value);
  const label = current?.label ?? value ?? name;
  if (!choices?.length) {
    return (
      <span className="picker" title={name} data-option={option}>
        <span className="truncate">{label}</span>
      </span>
    );
  }
  const configure = (id: string, confirmed?: true) => {
    setFault(undefined);
    channel
      .send({ kind: 'session.configure', option, value: id, ...(confirmed ? { confirmed } : {}) })
      .catch((error) => setFault(faultText(error)));
  };
  return (
    <>
      <Menu
        label={`${name}: ${label}`}
        title={fault ?? `${name}: ${label}`}
        className={`picker ${isAsked ? 'is-asked' : ''} ${current?.dangerous ? 'is-dangerous' : ''}`}
        choices={choices.map((choice) => ({
          id: choice.id,
          label: choice.label,
          detail: choice.description,
          checked: choice.id === value,
          onChoose: () => (choice.dangerous ? setDangerous(choice) : configure(choice.id)),
        }))}
      >
        <span className="truncate">{label}</span>
        <Icon icon={ChevronDown} size={12} />
      </Menu>
      {fault ? (
        <span className="visually-hidden" role="alert">
          {fault}
        </span>
      ) : null}
      {dangerous ? (
        <ConfirmDialog
          title={`${name}: ${dangerous.label}`}
          text="The agent will run commands and change files without asking you. Use it only where nothing of value can be lost."
          action={`Use ${dangerous.label}`}
          onConfirm={() => configure(dangerous.id, true)}
          onClose={() => setDangerous(undefined)}
        />
      ) : null}
    </>
  );
}
