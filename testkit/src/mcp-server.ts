// The configuration of the testkit's MCP servers, and the expected output of the `echo` tool.
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('./mcp-server.mjs', import.meta.url));
const askingProgram = fileURLToPath(new URL('./asking-server.mjs', import.meta.url));
const resourceProgram = fileURLToPath(new URL('./resource-server.mjs', import.meta.url));
const sign = 'seen-by-the-server';

/** For a configuration: one server, `testkit`, with one tool, `echo`. */
export const mcpServers = {
  testkit: { command: process.execPath, args: [program], env: { TESTKIT_SIGN: sign } },
};

/** The output of `mcp__testkit__echo` for `text`. */
export const echoOf = (text: string): string => `echo: ${text}, sign ${sign}`;

/** One server, `asker`, whose tool `ask` asks the user with a form, or with a URL for `how: 'url'`. */
export const askingServers = { asker: { command: process.execPath, args: [askingProgram] } };

/** One server, `notes`, with one resource; it writes the methods it receives to the file `log`. */
export const resourceServers = (log: string) => ({
  notes: { command: process.execPath, args: [resourceProgram], env: { RESOURCE_LOG: log } },
});
