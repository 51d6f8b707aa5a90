import type { AgentOption } from '@tugdeck/protocol/conversation/session-facts';
import type { Conversation } from '@tugdeck/protocol/conversation/state';
import { Picker } from './Picker.tsx';

const ON_OFF = ['true', 'false'] as const;

/** Model, mode, and what else the agent lets the user set: effort and the like. */
export function Pickers({ conversation }: { conversation: Pick<Conversation, 'facts' | 'wanted'> }) {
  const { facts, wanted } = conversation;
  return (
    <div className="pickers">
      <Picker
        name="Model"
        option="model"
        value={wanted.model ?? facts.model}
        choices={facts.models}
        isAsked={wanted.model !== undefined}
      />
      <Picker
        name="Mode"
        option="mode"
        value={wanted.mode ?? facts.mode}
        choices={facts.modes}
        isAsked={wanted.mode !== undefined}
      />
      {facts.options?.map((option) => (
        <Picker
          key={option.id}
          name={option.label}
          option={option.id}
          value={wanted[option.id] ?? option.value}
          choices={choicesOf(option)}
          isAsked={wanted[option.id] !== undefined}
        />
      ))}
    </div>
  );
}

function choicesOf({ kind, label, choices }: AgentOption): AgentOption['choices'] {
  if (kind === 'select') return choices;
  return ON_OFF.map((id) => ({ id, label: `${label} ${id === 'true' ? 'on' : 'off'}` }));
}
