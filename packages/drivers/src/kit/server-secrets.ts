/**
 * Variables and headers of MCP servers are often keys, and the agent repeats them when it is asked for its servers:
 * this keeps them out of the recording. Pure.
 */
import type { AgentStart } from './port.ts';

/** Shorter ones are words that occur anywhere. */
const SHORTEST = 6;
const HIDDEN = '(hidden)';

export function hideSecretsOf(servers: AgentStart['mcpServers'] = {}): (line: string) => string {
  const secrets = Object.values(servers)
    .flatMap((server) => Object.values(('command' in server ? server.env : server.headers) ?? {}))
    .filter((secret) => secret.length >= SHORTEST)
    // As it stands inside a JSON string.
    .map((secret) => JSON.stringify(secret).slice(1, -1));
  if (secrets.length === 0) return (line) => line;
  return (line) => secrets.reduce((text, secret) => text.replaceAll(secret, HIDDEN), line);
}
