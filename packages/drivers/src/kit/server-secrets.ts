/**
 * Removes variables and headers of MCP servers, which are often keys, from the recording, because the agent repeats
 * them. Pure.
 */
import type { AgentStart } from './port.ts';

/** Shorter values occur in ordinary text. */
const SHORTEST = 6;
const HIDDEN = '(hidden)';

export function hideSecretsOf(servers: AgentStart['mcpServers'] = {}): (line: string) => string {
  const secrets = Object.values(servers)
    .flatMap((server) => Object.values(('command' in server ? server.env : server.headers) ?? {}))
    .filter((secret) => secret.length >= SHORTEST)
    // As written inside a JSON string.
    .map((secret) => JSON.stringify(secret).slice(1, -1));
  if (secrets.length === 0) return (line) => line;
  return (line) => secrets.reduce((text, secret) => text.replaceAll(secret, HIDDEN), line);
}
