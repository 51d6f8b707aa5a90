// How the MCP servers of the testkit are configured, and what the tool of the first one says.
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('./mcp-server.mjs', import.meta.url));
const askingProgram = fileURLToPath(new URL('./asking-server.mjs', import.meta.url));
const resourceProgram = fileURLToPath(new URL('./resource-server.mjs', import.meta.url));
const sign = 'seen-by-the-server';

/** For a configuration: one server, `testkit`, with one tool, `echo`. */
export const mcpServers = {
  testkit: { command: process.execPath, args: [program], env: { TESTKIT_SIGN: sign } },
};

/** What `mcp__testkit__echo` says when it is given `text`. */
export const echoOf = (text: string): string => `echo: ${text}, sign ${sign}`;

/** One server, `asker`, whose tool `ask` asks the user by a form, or with `how: 'url'` by an address. */
export const askingServers = { asker: { command: process.execPath, args: [askingProgram] } };

/** One server, `notes`, with one resource; what it is asked for is written into the file `log`. */
export const resourceServers = (log: string) => ({
  notes: { command: process.execPath, args: [resourceProgram], env: { RESOURCE_LOG: log } },
});
