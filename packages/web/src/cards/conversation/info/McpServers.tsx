import type { McpServer, SessionInfo } from '@tugdeck/protocol/conversation/session-info';
import { useEffect, useState } from 'react';
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

/** The session's MCP servers: state, tools, on and off, reconnect, sign in. */
export function McpServers({ facts: { mcpServers = [], controls = [] }, isRunning }: McpServersProps) {
  const { request, isPending, fault } = useControlRequest();
  const can = (what: string) => isRunning && controls.includes(what);
  const canRefresh = can('mcp.status');
  // biome-ignore lint/correctness/useExhaustiveDependencies: asked once when it opens, not whenever `request` is another
  useEffect(() => {
    if (canRefresh) void request('mcp.status');
  }, [canRefresh]);
  return (
    <section aria-label="MCP servers">
      <h3>MCP servers</h3>
      {mcpServers.length === 0 ? <p className="muted">None</p> : null}
      <ul className="info-list">
        {mcpServers.map((server) => (
          <Server key={server.name} server={server} can={can} />
        ))}
      </ul>
      {fault ? (
        <p className="fault" role="alert">
          {visibleText(fault)}
        </p>
      ) : null}
      {canRefresh ? (
        <Button look="link" disabled={isPending} onClick={() => void request('mcp.status')}>
          Refresh
        </Button>
      ) : null}
    </section>
  );
}

function Server({ server, can }: { server: McpServer; can: (what: string) => boolean }) {
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
                <dd className="muted">{visibleText(tool.description ?? '')}</dd>
              </div>
            ))}
          </dl>
        </details>
      ) : null}
    </li>
  );
}
