/**
 * Session parameters besides the directory: extra directories and MCP servers, as far as the agent supports them.
 * Pure.
 */

import { type Fields, recordOf } from '../kit/fields.ts';
import type { AgentStart } from '../kit/port.ts';

type McpServer = NonNullable<AgentStart['mcpServers']>[string];

export interface SessionParams {
  /** Parameters of new, load, resume and fork. */
  readonly params: Fields & { readonly cwd: string };
  /** Unsupported parameters, as sentences. */
  readonly leftOut: readonly string[];
}

export function sessionParams(
  { directory, directories = [], mcpServers = {} }: AgentStart,
  initialized: unknown,
): SessionParams {
  const { mcpCapabilities, sessionCapabilities } = recordOf(recordOf(initialized).agentCapabilities);
  const leftOut: string[] = [];
  const servers = Object.entries(mcpServers).flatMap(([name, server]) => {
    // Programs are always supported, URLs only if the agent says so.
    if ('command' in server || recordOf(mcpCapabilities)[server.type] === true)
      return serverParams(name, server);
    leftOut.push(`The agent doesn’t support MCP servers over ${server.type}, so ${name} is left out.`);
    return [];
  });
  const takesMore = recordOf(sessionCapabilities).additionalDirectories !== undefined;
  if (directories.length > 0 && !takesMore)
    leftOut.push(`The agent doesn’t support additional directories: ${directories.join(', ')}.`);
  return {
    params: {
      cwd: directory,
      mcpServers: servers,
      ...(takesMore && directories.length > 0 ? { additionalDirectories: [...directories] } : {}),
    },
    leftOut,
  };
}

/**
 * Whether the agent can fork a session before a message, an extension of the protocol: prompts carry
 * `_meta.messageId`, a fork carries `_meta.beforeMessageId`, and replayed messages have the same ids.
 */
export function forksBeforeMessages(initialized: unknown): boolean {
  const { sessionCapabilities } = recordOf(recordOf(initialized).agentCapabilities);
  return recordOf(recordOf(recordOf(sessionCapabilities).fork)._meta).beforeMessage === true;
}

function serverParams(name: string, server: McpServer): Fields {
  if (!('command' in server)) {
    const { type, url, headers = {} } = server;
    return { type, name, url, headers: pairs(headers) };
  }
  const { command, args = [], env = {} } = server;
  return { name, command, args, env: pairs(env) };
}

const pairs = (values: Readonly<Record<string, string>>): { name: string; value: string }[] =>
  Object.entries(values).map(([name, value]) => ({ name, value }));

const HIDDEN = '(hidden)';

/** A line for the recording, without the servers' variables and headers, which are often keys. */
export function withoutSecrets(line: string): string {
  if (!/^\{"jsonrpc":"2.0","id":\d+,"method":"session\/(new|load|resume|fork)"/.test(line)) return line;
  return JSON.stringify(JSON.parse(line), (key, value: unknown) =>
    (key === 'env' || key === 'headers') && Array.isArray(value)
      ? value.map((pair) => ({ ...recordOf(pair), value: HIDDEN }))
      : value,
  );
}
