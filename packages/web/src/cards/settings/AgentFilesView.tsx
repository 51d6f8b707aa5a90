/** Permission rules and MCP servers of the agents by file (W6). They are edited in the file itself. */
import { settings } from '@tugdeck/protocol/areas/settings';
import type { AgentFiles, AgentServer, FileScope } from '@tugdeck/protocol/settings/agent-files';
import { useEffect, useState } from 'react';
import { useClient } from '../../kit/client-context.tsx';
import { useArea } from '../../kit/use-area.ts';
import { useReadable } from '../../kit/use-readable.ts';
import { visibleExact, visiblePath, visibleText } from '../../kit/visible-text.ts';

type Agent = AgentFiles['agents'][number];

const SCOPES: Readonly<Record<FileScope, string>> = {
  user: 'user',
  project: 'project',
  machine: 'this machine',
  config: 'Tugdeck',
};

export function AgentFilesView({ project: initialProject }: { project: string | undefined }) {
  const deck = useReadable(useClient().deck);
  const [chosen, setChosen] = useState<string>();
  const projects = deck?.projects ?? [];
  const project = projects.find(({ id }) => id === (chosen ?? initialProject))?.id ?? projects[0]?.id;
  const [files, setFiles] = useState<AgentFiles>();
  const { opened, fault, act } = useArea(settings, project ? { project } : {}, ({ agentFiles }) =>
    setFiles(agentFiles),
  );
  useEffect(() => {
    if (opened > 0) void act(async (area) => setFiles(await area.call('agents', { project })));
  }, [opened, act, project]);
  const shown = files?.agents.filter(
    ({ rules, servers, unread }) => rules.length + servers.length + unread.length > 0,
  );
  return (
    <>
      {projects.length > 0 ? (
        <label className="settings-row">
          <span>Show yours and those of</span>
          <select className="field" value={project} onChange={(event) => setChosen(event.target.value)}>
            {projects.map(({ id, name }) => (
              <option key={id} value={id}>
                {visibleText(name)}
              </option>
            ))}
          </select>
        </label>
      ) : null}
      {fault ? (
        <p className="fault" role="alert">
          {fault}
        </p>
      ) : null}
      {shown?.length === 0 ? (
        <p className="settings-quiet">No permission rules or MCP servers configured</p>
      ) : null}
      {shown?.map((agent) => (
        <AgentPart key={agent.agent} agent={agent} />
      ))}
    </>
  );
}

function AgentPart({ agent }: { agent: Agent }) {
  return (
    <section className="settings-part" aria-label={visibleText(agent.label)}>
      <h4>{visibleText(agent.label)}</h4>
      {byFile(agent).map(({ file, scope, rules, servers }) => (
        <div key={file ?? ''} className="settings-source">
          <p className="settings-quiet">
            {file === undefined ? 'Reported by a running session' : <code>{visiblePath(file)}</code>}
            {scope ? ` (${SCOPES[scope]})` : ''}
          </p>
          <ul>
            {rules.map((rule) => (
              <li key={`rule ${rule}`}>
                <code>{visibleExact(rule)}</code>
              </li>
            ))}
            {servers.map((server) => (
              <Server key={`server ${server.name}`} server={server} />
            ))}
          </ul>
        </div>
      ))}
      {agent.unread.map((file) => (
        <p key={file} className="fault">
          <code>{visiblePath(file)}</code> couldn’t be read or isn’t valid
        </p>
      ))}
    </section>
  );
}

function Server({ server: { name, launch, status } }: { server: AgentServer }) {
  return (
    <li>
      <span className="settings-tag">MCP</span> {visibleText(name)}{' '}
      <span className="settings-quiet">
        {launch === '' ? null : <code>{visibleExact(launch)}</code>}
        {status === undefined ? '' : ` ${visibleText(status)}`}
      </span>
    </li>
  );
}

interface Source {
  readonly file: string | undefined;
  readonly scope: FileScope | undefined;
  readonly rules: string[];
  readonly servers: AgentServer[];
}

function byFile({ rules, servers }: Agent): Source[] {
  const sources = new Map<string | undefined, Source>();
  const of = (file: string | undefined, scope: FileScope | undefined): Source => {
    const known = sources.get(file) ?? { file, scope, rules: [], servers: [] };
    sources.set(file, known);
    return known;
  };
  for (const { file, scope, text } of rules) of(file, scope).rules.push(text);
  for (const server of servers) of(server.file, server.scope).servers.push(server);
  return [...sources.values()];
}
