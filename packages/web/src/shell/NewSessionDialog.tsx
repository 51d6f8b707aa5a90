import type { SessionRow } from '@tugdeck/protocol/wire/deck';
import { type FormEvent, useState } from 'react';
import { useClient } from '../kit/client-context.tsx';
import { createSession, faultText } from '../kit/deck-actions.ts';
import { activeProject } from '../kit/layout/open-card.ts';
import { titleOf, usableAgent } from '../kit/projects.ts';
import { showSession } from '../kit/route.ts';
import { useReadable } from '../kit/use-readable.ts';
import { visibleText } from '../kit/visible-text.ts';
import { Button } from '../ui/Button.tsx';
import { Dialog } from '../ui/Dialog.tsx';
import { agentSummary } from './agent-summary.ts';
import { newestSession } from './newest-session.ts';

export interface NewSessionDialogProps {
  project?: string | undefined;
  onClose: () => void;
}

export function NewSessionDialog({ project: initialProject, onClose }: NewSessionDialogProps) {
  const client = useClient();
  const deck = useReadable(client.deck);
  const [chosen, setChosen] = useState<{ project?: string; agent?: string }>({});
  const [fault, setFault] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const current = activeProject((session) => deck?.sessions.find(({ id }) => id === session)?.project);
  const project = chosen.project ?? initialProject ?? current ?? deck?.projects.at(-1)?.id;
  const agent = chosen.agent ?? (deck ? usableAgent(deck) : undefined);

  const newest = deck && newestSession(deck, project, agent);
  const continueNewest = () => {
    if (newest) showSession(newest.id);
    onClose();
  };

  const create = async (event: FormEvent) => {
    event.preventDefault();
    if (project === undefined || agent === undefined) return;
    setBusy(true);
    try {
      await createSession(client, project, agent);
      onClose();
    } catch (error) {
      setBusy(false);
      setFault(faultText(error));
    }
  };

  return (
    <Dialog title="New session" onClose={onClose}>
      <form onSubmit={create} style={{ display: 'contents' }}>
        {deck && deck.projects.length > 1 ? (
          <label className="field-label">
            <span>Project</span>
            <select
              className="field"
              value={project}
              onChange={(event) => setChosen({ ...chosen, project: event.target.value })}
            >
              {deck.projects.map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </select>
          </label>
        ) : null}
        <fieldset className="choices">
          <legend>Agent</legend>
          {deck?.agents.map((choice) => (
            <div key={choice.name} className="choice" data-off={!choice.installed}>
              <input
                id={`agent-${choice.name}`}
                type="radio"
                name="agent"
                value={choice.name}
                checked={agent === choice.name}
                disabled={!choice.installed}
                aria-describedby={`agent-${choice.name}-detail`}
                onChange={() => setChosen({ ...chosen, agent: choice.name })}
              />
              <label htmlFor={`agent-${choice.name}`}>{choice.label}</label>
              <span id={`agent-${choice.name}-detail`} className="choice-detail">
                {choice.detail}
                <AgentState agent={choice.name} rows={deck.sessions} />
              </span>
            </div>
          ))}
        </fieldset>
        {project === undefined ? <p className="dialog-note">Add a project first</p> : null}
        {agent === undefined ? (
          <p className="dialog-note">No agents installed. Run one of the install commands above.</p>
        ) : null}
        {fault ? (
          <p className="fault" role="alert">
            {fault}
          </p>
        ) : null}
        <div className="dialog-actions">
          {newest ? (
            <Button look="link" onClick={continueNewest} title={`Continue “${visibleText(titleOf(newest))}”`}>
              Continue latest session
            </Button>
          ) : null}
          <Button onClick={onClose}>Cancel</Button>
          <Button
            type="submit"
            look="primary"
            disabled={isBusy || project === undefined || agent === undefined}
          >
            Create
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

function AgentState({ agent, rows }: { agent: string; rows: readonly SessionRow[] }) {
  const { text, failure } = agentSummary(agent, rows);
  return (
    <>
      {text ? ` · ${text}` : null}
      {failure ? <span className="fault"> · {visibleText(failure)}</span> : null}
    </>
  );
}
