/** Project and agent of a session that has no message yet (D43). Another choice moves the text to its composer. */
import type { SessionRow } from '@tugdeck/protocol/wire/deck';
import { ChevronDown } from 'lucide-react';
import type { ReactNode } from 'react';
import { agentSummary } from '../../../kit/agent-summary.ts';
import { useClient } from '../../../kit/client-context.tsx';
import { openCard } from '../../../kit/layout/open-card.ts';
import { newSession } from '../../../kit/new-session.ts';
import type { MenuChoice } from '../../../kit/offered-actions.ts';
import { useReadable } from '../../../kit/use-readable.ts';
import { visibleText } from '../../../kit/visible-text.ts';
import { AgentMark } from '../../../ui/AgentMark.tsx';
import { Icon } from '../../../ui/Icon.tsx';
import { Menu } from '../../../ui/Menu.tsx';

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
  const agent = deck.agents.find(({ name }) => name === row.agent);
  return (
    <>
      <Choice
        name="Project"
        value={project?.name ?? ''}
        choices={deck.projects.map(({ id, name, path }) => ({
          id,
          label: visibleText(name),
          detail: visibleText(path),
          checked: id === row.project,
          onChoose: () => id !== row.project && choose({ project: id }),
        }))}
      />
      <Choice
        name="Agent"
        value={agent?.label ?? row.agent}
        mark={agent ? <AgentMark mark={agent.mark} /> : null}
        choices={[
          ...deck.agents
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
    </>
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
