/** Actions on the session in front that only the command palette has (D44): settings with their values, and Stop. */
import type { ConversationChannel } from '@tugdeck/client/conversation-channel';
import type { Choice } from '@tugdeck/protocol/conversation/session-info';
import type { Conversation } from '@tugdeck/protocol/conversation/state';
import type { MenuChoice } from '../../../kit/offered-actions.ts';

export function sessionChoices(
  { facts, wanted, turn }: Pick<Conversation, 'facts' | 'wanted' | 'turn'>,
  send: ConversationChannel['send'],
  fail: (error: unknown) => void,
): MenuChoice[] {
  const setting = (option: string, label: string, choices: readonly Choice[] = [], value?: string) => {
    // Modes that allow everything can only be chosen in their menu, which asks (A14).
    const safe = choices.filter(({ dangerous }) => !dangerous);
    if (safe.length < 2) return [];
    const values = safe.map((choice) => ({
      id: `${option}-${choice.id}`,
      label: choice.label,
      detail: choice.description,
      checked: choice.id === (wanted[option] ?? value),
      onChoose: () => void send({ kind: 'session.configure', option, value: choice.id }).catch(fail),
    }));
    return [{ id: `set-${option}`, label: `Set ${label}…`, choices: values, onChoose: () => undefined }];
  };
  return [
    ...setting('model', 'model', facts.models, facts.model),
    ...setting('mode', 'mode', facts.modes, facts.mode),
    ...(facts.options ?? []).flatMap(({ id, label, kind, choices, value }) =>
      kind === 'select' ? setting(id, label.toLowerCase(), choices, value) : [],
    ),
    ...(turn
      ? [{ id: 'cancel', label: 'Stop', onChoose: () => void send({ kind: 'turn.cancel' }).catch(fail) }]
      : []),
  ];
}
