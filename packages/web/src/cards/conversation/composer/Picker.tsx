import type { Choice } from '@tugdeck/protocol/conversation/session-info';
import { ChevronDown } from 'lucide-react';
import { useState } from 'react';
import { useCard } from '../../../features/conversation/card-context.tsx';
import { useClient } from '../../../kit/client-context.tsx';
import { faultText } from '../../../kit/deck-actions.ts';
import { lazyComponent } from '../../../kit/lazy-component.tsx';
import { useReadable, useSelected } from '../../../kit/use-readable.ts';
import { Icon } from '../../../ui/Icon.tsx';
import { Menu } from '../../../ui/Menu.tsx';
import { newSessionDefaults, rememberDefault } from './new-session-defaults.ts';

const ConfirmDialog = lazyComponent(() =>
  import('../../../ui/ConfirmDialog.tsx').then((part) => part.ConfirmDialog),
);

export interface PickerProps {
  name: string;
  /** `mode`, `model`, or the id of an agent option. */
  option: string;
  value: string | undefined;
  choices: readonly Choice[] | undefined;
  /** Requested, but not yet confirmed by the agent. */
  isPending: boolean;
}

/** Picker for one agent setting. A choice that allows everything has to be confirmed (A14). */
export function Picker({ name, option, value, choices, isPending }: PickerProps) {
  const client = useClient();
  const { channel, session } = useCard();
  /** The outcome of the last choice. */
  const [note, setNote] = useState<string>();
  const [dangerous, setDangerous] = useState<Choice>();
  /** Chosen here since the page was opened. */
  const [chosen, setChosen] = useState<string>();
  const defaultKey = useSelected(client.deck, (deck) => {
    const row = deck?.sessions.find(({ id }) => id === session);
    return `${row?.project} ${row?.agent} ${option}`;
  });
  const known = useReadable(newSessionDefaults)[defaultKey] ?? 'default';
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
    setNote(undefined);
    setChosen(id);
    channel
      .send({ kind: 'session.configure', option, value: id, ...(confirmed ? { confirmed } : {}) })
      .catch((error) => setNote(faultText(error)));
  };
  /**
   * Saves the current value as the default of new sessions. A choice that allows everything has to be confirmed
   * first.
   */
  const keep = () => {
    const row = client.deck.get()?.sessions.find(({ id }) => id === session);
    if (!row || value === undefined || (option !== 'mode' && option !== 'model')) return;
    const { project, agent } = row;
    client
      .request({ type: 'agent.prefer', project, agent, option, value })
      .then(() => {
        rememberDefault(defaultKey, value);
        setChosen(undefined);
        setNote(`New sessions in this project will use ${label}`);
      })
      .catch((error) => setNote(faultText(error)));
  };
  const canKeep =
    (option === 'mode' || option === 'model') &&
    current &&
    !current.dangerous &&
    !isPending &&
    (value === chosen || value !== known);
  return (
    <>
      <Menu
        label={`${name}: ${label}`}
        name={option}
        title={note ?? `${name}: ${label}`}
        className={`picker ${isPending ? 'is-asked' : ''} ${current?.dangerous ? 'is-dangerous' : ''}`}
        choices={[
          ...choices.map((choice) => ({
            id: choice.id,
            label: choice.label,
            detail: choice.description,
            checked: choice.id === value,
            onChoose: () => (choice.dangerous ? setDangerous(choice) : configure(choice.id)),
          })),
          ...(canKeep
            ? [
                {
                  id: ' keep',
                  label: /^default\b/i.test(label)
                    ? 'Use the agent’s default for new sessions'
                    : `Make ${label} the default for new sessions`,
                  detail: 'In this project',
                  isApart: true,
                  onChoose: keep,
                },
              ]
            : []),
        ]}
      >
        <span className="truncate">{label}</span>
        <Icon icon={ChevronDown} size={12} />
      </Menu>
      {note ? (
        <span className="visually-hidden" role="status">
          {note}
        </span>
      ) : null}
      {dangerous ? (
        <ConfirmDialog
          title={`${name}: ${dangerous.label}`}
          text="The agent will run commands and edit files without asking. Only use this in a sandbox or in a repository you can afford to lose."
          action={`Use ${dangerous.label}`}
          onConfirm={() => configure(dangerous.id, true)}
          onClose={() => setDangerous(undefined)}
        />
      ) : null}
    </>
  );
}
