import type { Choice } from '@tugdeck/protocol/conversation/session-facts';
import type { Conversation } from '@tugdeck/protocol/conversation/state';
import type { SessionRow } from '@tugdeck/protocol/wire/deck';
import { ChevronDown } from 'lucide-react';
import { useState } from 'react';
import { faultText } from '../../app/deck-actions.ts';
import { titleOf } from '../../app/projects.ts';
import { Icon } from '../../ui/Icon.tsx';
import { Menu } from '../../ui/Menu.tsx';
import { cost, count } from '../../ui/words.ts';
import { agentWords } from './agent-words.ts';
import { useCard } from './card-context.tsx';
import { ReadingTools } from './find/ReadingTools.tsx';

export interface CardHeaderProps {
  row: SessionRow | undefined;
  conversation: Conversation;
}

export function CardHeader({ row, conversation }: CardHeaderProps) {
  const { facts, wanted, usage, agent } = conversation;
  const words = agentWords(agent);
  return (
    <header className="card-header">
      <h1 className="card-title truncate">{row ? titleOf(row) : (facts.agentTitle ?? 'Session')}</h1>
      <span className="card-agent truncate">
        {facts.agentLabel ?? row?.agent}
        {words ? <span className="card-agent-state"> {words}</span> : null}
      </span>
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
      <span className="card-header-space" />
      <ContextGauge used={usage.contextUsed} size={usage.contextWindow} />
      {usage.costUsd === undefined ? null : (
        <span className="card-cost" title="Cost of this session as the agent reports it">
          {cost(usage.costUsd)}
        </span>
      )}
      <ReadingTools />
    </header>
  );
}

interface PickerProps {
  name: string;
  option: 'model' | 'mode';
  value: string | undefined;
  choices: readonly Choice[] | undefined;
  /** Asked for, but not yet confirmed by the agent. */
  isAsked: boolean;
}

function Picker({ name, option, value, choices, isAsked }: PickerProps) {
  const { channel } = useCard();
  const [fault, setFault] = useState<string>();
  if (value === undefined && !choices?.length) return null;
  const label = choices?.find(({ id }) => id === value)?.label ?? value ?? name;
  if (!choices?.length) return <span className="picker truncate">{label}</span>;
  const choose = (id: string) => {
    setFault(undefined);
    channel
      .send({ kind: 'session.configure', option, value: id })
      .catch((error) => setFault(faultText(error)));
  };
  return (
    <Menu
      label={`${name}: ${label}`}
      title={fault ?? name}
      className={`picker ${isAsked ? 'is-asked' : ''}`}
      choices={choices.map((choice) => ({
        id: choice.id,
        label: choice.label,
        detail: choice.description,
        checked: choice.id === value,
        onChoose: () => choose(choice.id),
      }))}
    >
      <span className="truncate">{label}</span>
      <Icon icon={ChevronDown} size={12} />
    </Menu>
  );
}

function ContextGauge({ used, size }: { used: number | undefined; size: number | undefined }) {
  if (used === undefined || !size) return null;
  const percent = Math.min(100, Math.round((used / size) * 100));
  return (
    <span className="gauge" title={`Context: ${count(used)} of ${count(size)} tokens`}>
      <meter aria-label="Context used" min={0} max={100} value={percent} className="visually-hidden" />
      <span className="gauge-bar" aria-hidden="true" data-full={percent >= 80}>
        <span style={{ width: `${percent}%` }} />
      </span>
      <span>{percent} %</span>
    </span>
  );
}
