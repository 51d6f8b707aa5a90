import type { Conversation } from '@tugdeck/protocol/conversation/state';
import { MoreSettings } from './MoreSettings.tsx';
import { choicesOf } from './option-choices.ts';
import { Picker } from './Picker.tsx';

/** Pickers for model, mode and the agent's first option (usually its effort); the others are behind a button. */
export function Pickers({ conversation }: { conversation: Pick<Conversation, 'facts' | 'wanted'> }) {
  const { facts, wanted } = conversation;
  const [first, ...others] = facts.options ?? [];
  return (
    <div className="pickers">
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
    </div>
  );
}
