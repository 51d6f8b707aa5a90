// How the MCP server of the testkit is configured, and what its tool says.
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('./mcp-server.mjs', import.meta.url));
const sign = 'seen-by-the-server';

/** For a configuration: one server, `testkit`, with one tool, `echo`. */
export const mcpServers = {
  testkit: { command: process.execPath, args: [program], env: { TESTKIT_SIGN: sign } },
};

/** What `mcp__testkit__echo` says when it is given `text`. */
export const echoOf = (text: string): string => `echo: ${text}, sign ${sign}`;
