/** Project, agent and workspace of a session that has no message yet (D43). Another choice moves the text to its composer. */
import type { SessionRow } from '@tugdeck/protocol/wire/deck';
import { ChevronDown } from 'lucide-react';
import type { ReactNode } from 'react';
import { AttemptsMenu } from '../../../features/workspaces/AttemptsMenu.tsx';
import { StartMenu } from '../../../features/workspaces/StartMenu.tsx';
import { agentSummary } from '../../../kit/agent-summary.ts';
import { useClient } from '../../../kit/client-context.tsx';
import { bytes } from '../../../kit/format.ts';
import { openCard } from '../../../kit/layout/open-card.ts';
import { agentsIn, machineOf } from '../../../kit/machines.ts';
import { newSession } from '../../../kit/new-session.ts';
import type { MenuChoice } from '../../../kit/offered-actions.ts';
import { placesOf } from '../../../kit/places.ts';
import { usableAgent } from '../../../kit/projects.ts';
import { showFault, showNote } from '../../../kit/undo.ts';
import { useReadable } from '../../../kit/use-readable.ts';
import { visibleText } from '../../../kit/visible-text.ts';
import { AgentMark } from '../../../ui/AgentMark.tsx';
import { Icon } from '../../../ui/Icon.tsx';
import { Menu } from '../../../ui/Menu.tsx';
import { PickerRow } from './PickerRow.tsx';

export function NewSessionPickers({ row }: { row: SessionRow }) {
  const client = useClient();
  const deck = useReadable(client.deck);
  if (!deck) return null;
  const choose = (choice: { project?: string; agent?: string }) =>
    void newSession(client, {
      project: row.project,
      agent: row.agent,
      ...choice,
      instead: { session: row.id, text: client.draft(row.id) },
    });
  const project = deck.projects.find(({ id }) => id === row.project);
  const { agents } = agentsIn(deck, row.project);
  const agent = agents.find(({ name }) => name === row.agent);
  /** An agent of another machine may not exist there. */
  const move = (to: string) => {
    const known = agentsIn(deck, to).agents.some(({ name, installed }) => installed && name === row.agent);
    choose({ project: to, agent: known ? row.agent : (usableAgent(deck, to) ?? row.agent) });
  };
  const moveToAny = async () => {
    const places = await placesOf(row.project);
    const [best] = places;
    if (!best) return showFault('No machine with this project can be reached.');
    if (best.project !== row.project) move(best.project);
    const others = places.length === 1 ? ', the only one with this project' : '';
    const name = visibleText(best.machine ?? 'This machine');
    showNote(`${name}${others}: ${bytes(best.freeMemory)} of memory free`);
  };
  return (
    <PickerRow>
      <Choice
        name="Project"
        value={[project?.name, machineOf(deck, project)?.id].filter(Boolean).join(' · ')}
        choices={[
          ...deck.projects.map(({ id, name, path, machine }) => ({
            id,
            label: visibleText(name),
            detail: [machineOf(deck, { machine })?.id, visibleText(path)].filter(Boolean).join(' · '),
            checked: id === row.project,
            onChoose: () => id !== row.project && move(id),
          })),
          ...(deck.machines?.length
            ? [
                {
                  id: ' any',
                  label: 'Any machine',
                  detail: 'The one with this project and the most free memory',
                  isApart: true,
                  onChoose: () => void moveToAny(),
                },
              ]
            : []),
        ]}
      />
      <Choice
        name="Agent"
        value={agent?.label ?? row.agent}
        mark={agent ? <AgentMark mark={agent.mark} /> : null}
        choices={[
          ...agents
            .filter(({ installed, name }) => installed || name === row.agent)
            .map(({ name, label, detail }) => ({
              id: name,
              label,
              detail: agentDetail(name, detail, deck.sessions),
              checked: name === row.agent,
              onChoose: () => name !== row.agent && choose({ agent: name }),
            })),
          { id: ' add', label: 'Add agent…', isApart: true, onChoose: () => void openCard('settings', {}) },
        ]}
      />
      <StartMenu row={row} />
      <AttemptsMenu row={row} />
    </PickerRow>
  );
}

/** Path or install command, and how its sessions are doing. */
function agentDetail(name: string, detail: string, rows: readonly SessionRow[]): string {
  const { text, failure } = agentSummary(name, rows);
  return [detail, text, failure]
    .filter(Boolean)
    .map((part) => visibleText(part ?? ''))
    .join(' · ');
}

interface ChoiceProps {
  name: string;
  value: string;
  mark?: ReactNode;
  choices: readonly MenuChoice[];
}

function Choice({ name, value, mark, choices }: ChoiceProps) {
  const label = `${name}: ${visibleText(value)}`;
  return (
    <Menu label={label} title={label} className="picker" choices={choices}>
      {mark}
      <span className="truncate">{visibleText(value)}</span>
      <Icon icon={ChevronDown} size={12} />
    </Menu>
  );
}
