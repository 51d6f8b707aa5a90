/** The setup of agents in their own files, the user's and one project's (A61). */
import { agentSetup } from '@tugdeck/protocol/areas/agent-setup';
import { useState } from 'react';
import { useClient } from '../../../kit/client-context.tsx';
import { useArea } from '../../../kit/use-area.ts';
import { useReadable } from '../../../kit/use-readable.ts';
import { visiblePath, visibleText } from '../../../kit/visible-text.ts';
import { SetupKindView } from './SetupKind.tsx';
import './setup.css';

export function AgentSetup({ project: initialProject }: { project: string | undefined }) {
  const deck = useReadable(useClient().deck);
  const projects = deck?.projects ?? [];
  const [chosenProject, setProject] = useState<string>();
  const project = projects.find(({ id }) => id === (chosenProject ?? initialProject))?.id ?? projects[0]?.id;
  const { state, fault, channel } = useArea(agentSetup, project === undefined ? {} : { project });
  const [chosen, setChosen] = useState<string>();
  const agents = state?.agents ?? [];
  const agent = agents.find((one) => one.agent === chosen) ?? agents[0];
  return (
    <>
      <div className="setup-bar">
        {agents.length === 0 ? null : (
          <label className="settings-row">
            <span>Agent</span>
            <select
              className="field"
              value={agent?.agent}
              onChange={(event) => setChosen(event.target.value)}
            >
              {agents.map((one) => (
                <option key={one.agent} value={one.agent}>
                  {visibleText(one.label)}
                </option>
              ))}
            </select>
          </label>
        )}
        {projects.length === 0 ? null : (
          <label className="settings-row">
            <span>Project</span>
            <select className="field" value={project} onChange={(event) => setProject(event.target.value)}>
              {projects.map(({ id, name }) => (
                <option key={id} value={id}>
                  {visibleText(name)}
                </option>
              ))}
            </select>
          </label>
        )}
      </div>
      {fault ? (
        <p className="fault" role="alert">
          {fault}
        </p>
      ) : null}
      {state && agents.length === 0 ? (
        <p className="settings-quiet">Install an agent to see its setup</p>
      ) : null}
      {state?.trust !== undefined && state.trust !== 'yes' ? (
        <p className="settings-quiet">
          This project isn’t trusted: agents start without its configuration, or not at all. It is only shown
          here.
        </p>
      ) : null}
      {agent?.unread.map(({ file, why }) => (
        <p key={file} className="fault setup-unread">
          <code>{visiblePath(file)}</code> couldn’t be read: {visibleText(why)}
        </p>
      ))}
      {agent && channel
        ? agent.kinds.map((kind) => (
            <SetupKindView
              key={`${project} ${agent.agent} ${kind.kind}`}
              agent={agent.agent}
              state={kind}
              channel={channel}
            />
          ))
        : null}
    </>
  );
}
