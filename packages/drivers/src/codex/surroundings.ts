/** What a thread is begun with beside its directory: settings, MCP servers, further directories. Pure. */
import type { Fields } from '../kit/fields.ts';
import type { AgentStart } from '../kit/port.ts';
import { threadSettings } from './modes.ts';

export function surroundings(start: AgentStart): {
  readonly params: Fields;
  readonly leftOut: readonly string[];
} {
  const { directory, directories = [], mcpServers = {}, mode, model } = start;
  const leftOut: string[] = [];
  // Codex has a trust of its own. The user's word is given here: it holds there too, and its lack even where Codex would.
  const trust_level = start.untrusted ? 'untrusted' : 'trusted';
  const config: Record<string, unknown> = { projects: { [directory]: { trust_level } } };
  for (const [name, server] of Object.entries(mcpServers)) {
    const key = `mcp_servers.${name}`;
    if ('command' in server) {
      const { command, args = [], env = {} } = server;
      config[key] = { command, args, env };
    } else if (server.type === 'http') {
      config[key] = { url: server.url, http_headers: server.headers ?? {} };
    } else leftOut.push(`It takes no MCP servers by ${server.type}: ${name} is left out.`);
  }
  return {
    params: {
      cwd: directory,
      ...threadSettings(mode),
      ...(model === undefined ? {} : { model }),
      config,
      ...(directories.length === 0 ? {} : { runtimeWorkspaceRoots: [directory, ...directories] }),
    },
    leftOut,
  };
}
