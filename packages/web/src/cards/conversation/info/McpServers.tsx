import type { McpServer, SessionInfo } from '@tugdeck/protocol/conversation/session-info';
import { useEffect, useState } from 'react';
import { z } from 'zod';
import { canSignIn, isServerOn, serverState } from '../../../features/conversation/mcp-server-state.ts';
import { webAddress } from '../../../features/requests/web-address.ts';
import { visibleText } from '../../../kit/visible-text.ts';
import { Button } from '../../../ui/Button.tsx';
import { McpSignIn } from './McpSignIn.tsx';
import { useControlRequest } from './use-control-request.ts';

export interface McpServersProps {
  facts: SessionInfo;
  /** Only a running agent can be asked; it is not started for this. */
  isRunning: boolean;
}

/** Schemas of tools by server and tool, from agents that report them. */
const listSchema = z.object({
  servers: z.array(
    z.object({
      name: z.string(),
      tools: z.array(z.object({ name: z.string(), inputSchema: z.unknown() })),
    }),
  ),
});
type Schemas = ReadonlyMap<string, unknown>;

function schemasIn(data: unknown): Schemas {
  const { servers = [] } = listSchema.safeParse(data).data ?? {};
  return new Map(
    servers.flatMap((server) =>
      server.tools.map((tool) => [`${server.name} ${tool.name}`, tool.inputSchema] as const),
    ),
  );
}

/** The session's MCP servers: state, tools with their schemas, on and off, reconnect, sign in. */
export function McpServers({ facts: { mcpServers = [], controls = [] }, isRunning }: McpServersProps) {
  const { request, isPending, fault } = useControlRequest();
  const can = (what: string) => isRunning && controls.includes(what);
  const canRefresh = can('mcp.status');
  const [schemas, setSchemas] = useState<Schemas>(new Map());
  const refresh = async () => {
    const answer = await request('mcp.status');
    if (answer) setSchemas(schemasIn(answer.data));
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: asked once when it opens, not whenever `refresh` is another
  useEffect(() => {
    if (canRefresh) void refresh();
  }, [canRefresh]);
  return (
    <section aria-label="MCP servers">
      <h3>MCP servers</h3>
      {mcpServers.length === 0 ? <p className="muted">None</p> : null}
      <ul className="info-list">
        {mcpServers.map((server) => (
          <Server key={server.name} server={server} can={can} schemas={schemas} />
        ))}
      </ul>
      {fault ? (
        <p className="fault" role="alert">
          {visibleText(fault)}
        </p>
      ) : null}
      {canRefresh ? (
        <Button look="link" disabled={isPending} onClick={() => void refresh()}>
          Refresh
        </Button>
      ) : null}
    </section>
  );
}

interface ServerProps {
  server: McpServer;
  can: (what: string) => boolean;
  schemas: Schemas;
}

function Server({ server, can, schemas }: ServerProps) {
  const { request, isPending, fault } = useControlRequest();
  const [address, setAddress] = useState<string>();
  /** Shown as chosen until the server's state changes. */
  const [wanted, setWanted] = useState<{ isOn: boolean; at: string }>();
  const { name, tools = [], error } = server;
  const toggle = async (enabled: boolean) => {
    setWanted({ isOn: enabled, at: server.status });
    if (!(await request('mcp.toggle', { server: name, enabled }))) setWanted(undefined);
  };
  const signIn = async () => {
    const answer = await request('mcp.sign-in', { server: name });
    const data: unknown = answer?.data;
    const given = data !== null && typeof data === 'object' && 'address' in data ? data.address : undefined;
    setAddress(webAddress({ url: given }));
  };
  const isSigningIn = address !== undefined && canSignIn(server);
  return (
    <li className="info-server" data-status={server.status} aria-label={name}>
      <div className="info-row">
        <b className="truncate">{visibleText(name)}</b>
        <span className="muted">{serverState(server)}</span>
        <span className="info-actions">
          {can('mcp.sign-in') && canSignIn(server) ? (
            <Button disabled={isPending} onClick={() => void signIn()}>
              Sign in
            </Button>
          ) : null}
          {can('mcp.reconnect') && isServerOn(server) ? (
            <Button disabled={isPending} onClick={() => void request('mcp.reconnect', { server: name })}>
              Reconnect
            </Button>
          ) : null}
          {can('mcp.toggle') ? (
            <label className="check">
              <input
                type="checkbox"
                checked={wanted?.at === server.status ? wanted.isOn : isServerOn(server)}
                disabled={isPending}
                onChange={(event) => void toggle(event.target.checked)}
              />
              On
            </label>
          ) : null}
        </span>
      </div>
      {isSigningIn ? <McpSignIn server={name} address={address} /> : null}
      {error ? <p className="info-error">{visibleText(error)}</p> : null}
      {fault ? (
        <p className="fault" role="alert">
          {visibleText(fault)}
        </p>
      ) : null}
      {tools.length > 0 ? (
        <details>
          <summary>Tools ({tools.length})</summary>
          <dl className="info-tools">
            {tools.map((tool) => (
              <div key={tool.name}>
                <dt>
                  <code>{visibleText(tool.name)}</code>
                </dt>
                <dd className="muted">
                  {visibleText(tool.description ?? '')}
                  <ToolSchema schema={schemas.get(`${name} ${tool.name}`)} />
                </dd>
              </div>
            ))}
          </dl>
        </details>
      ) : null}
    </li>
  );
}

function ToolSchema({ schema }: { schema: unknown }) {
  if (schema === undefined || schema === null) return null;
  return (
    <details>
      <summary>Input</summary>
      <pre className="info-schema">{visibleText(JSON.stringify(schema, null, 2))}</pre>
    </details>
  );
}
