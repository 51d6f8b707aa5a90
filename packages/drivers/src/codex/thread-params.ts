/** Thread parameters besides the directory: settings, MCP servers, extra directories. Pure. */
import type { Fields } from '../kit/fields.ts';
import type { AgentStart } from '../kit/port.ts';
import { threadSettings } from './modes.ts';

export function threadParams(start: AgentStart): {
  readonly params: Fields;
  readonly leftOut: readonly string[];
} {
  const { directory, directories = [], mcpServers = {}, mode, model, trustedRoot = directory } = start;
  const leftOut: string[] = [];
  // Codex has its own project trust. The user's decision here overrides it in both directions.
  const trust_level = start.untrusted ? 'untrusted' : 'trusted';
  // The user trusts the whole checkout. Given only the directory, Codex would ignore the folders between it and the root.
  const folders = start.untrusted ? [directory] : [directory, trustedRoot];
  const projects = Object.fromEntries(folders.map((folder) => [folder, { trust_level }]));
  const config: Record<string, unknown> = { projects };
  for (const [name, server] of Object.entries(mcpServers)) {
    const key = `mcp_servers.${name}`;
    if ('command' in server) {
      const { command, args = [], env = {} } = server;
      config[key] = { command, args, env };
    } else if (server.type === 'http') {
      config[key] = { url: server.url, http_headers: server.headers ?? {} };
    } else leftOut.push(`The agent doesn’t support MCP servers over ${server.type}, so ${name} is left out.`);
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
