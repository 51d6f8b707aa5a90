/** Agents of the published ACP list (A23): the user installs them, one click adds them to the configuration. */
import { agentRegistry, type OfferedAgent } from '@tugdeck/protocol/areas/agent-registry';
import { useState } from 'react';
import { type UsedArea, useArea } from '../../kit/use-area.ts';
import { visibleExact, visiblePath, visibleText } from '../../kit/visible-text.ts';
import { Button } from '../../ui/Button.tsx';
import { CopyLine } from '../../ui/CopyLine.tsx';
import './agent-registry.css';

type Act = UsedArea<typeof agentRegistry>['act'];

export function AgentRegistry({ machine }: { machine: string | undefined }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details className="settings-more" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>More agents</summary>
      {isOpen ? <RegistryList machine={machine} /> : null}
    </details>
  );
}

function RegistryList({ machine }: { machine: string | undefined }) {
  const { state, fault, act } = useArea(agentRegistry, { machine });
  const [filter, setFilter] = useState('');
  const [isRefreshing, setRefreshing] = useState(false);
  if (!state) return fault ? <Fault text={fault} /> : null;
  const refresh = async () => {
    setRefreshing(true);
    await act((area) => area.call('refresh'));
    setRefreshing(false);
  };
  const wanted = filter.trim().toLowerCase();
  const shown = state.agents.filter(({ name, description }) =>
    `${name} ${description}`.toLowerCase().includes(wanted),
  );
  return (
    <section className="registry" aria-label="More agents">
      <p className="settings-quiet">
        From the ACP registry, as of {dayText(state.day)}
        {state.isBundled ? ' (included with Tugdeck)' : ''}. Tugdeck downloads none of them: install an agent
        yourself, then add it. Refreshing reads the list from <code>{visibleExact(state.url)}</code> once.
      </p>
      <div className="registry-bar">
        <input
          className="field"
          type="search"
          aria-label="Filter agents"
          placeholder="Filter"
          value={filter}
          onChange={(event) => setFilter(event.target.value)}
        />
        <Button disabled={isRefreshing} onClick={() => void refresh()}>
          Refresh list
        </Button>
      </div>
      {fault ? <Fault text={fault} /> : null}
      {shown.length === 0 ? <p className="settings-quiet">No matches</p> : null}
      <ul className="registry-list">
        {shown.map((agent) => (
          <Row key={agent.id} agent={agent} act={act} />
        ))}
      </ul>
    </section>
  );
}

function Row({ agent, act }: { agent: OfferedAgent; act: Act }) {
  const name = visibleText(agent.name);
  const { id, runs, state } = agent;
  return (
    <li className="registry-row" aria-label={name}>
      <div className="registry-head">
        <strong>{name}</strong>
        {agent.website ? (
          <a href={agent.website} target="_blank" rel="noreferrer noopener">
            Website
          </a>
        ) : null}
        <span className="registry-state settings-quiet">
          {agent.found === undefined ? 'Not installed' : visiblePath(agent.found)}
        </span>
        {state === 'added' ? null : (
          <Button onClick={() => void act((area) => area.call('add', { id, runs }))}>
            {state === 'offered' ? 'Add' : 'Update'}
          </Button>
        )}
        {state === 'offered' ? null : (
          <Button look="quiet" onClick={() => void act((area) => area.call('remove', { id }))}>
            Remove
          </Button>
        )}
      </div>
      <p className="registry-about">{visibleText(agent.description)}</p>
      {agent.install === undefined ? null : <CopyLine label="Install" text={agent.install} />}
      <p className="settings-quiet registry-runs">
        Runs <code>{visibleExact(runs)}</code>
      </p>
    </li>
  );
}

function Fault({ text }: { text: string }) {
  return (
    <p className="fault" role="alert">
      {text}
    </p>
  );
}

/** A day without its time zone: the list is of that day everywhere. */
function dayText(day: string): string {
  const date = new Date(`${day}T00:00:00Z`);
  if (Number.isNaN(date.getTime())) return visibleText(day);
  return date.toLocaleDateString(undefined, { dateStyle: 'long', timeZone: 'UTC' });
}
