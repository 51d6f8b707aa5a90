/**
 * The MCP servers in the user's configuration, as they are passed to a session host and its driver (A16): by name, a
 * program to start or a URL. Defines only the format; each driver translates it to its protocol.
 */
import { z } from 'zod';

const pairs = z.record(z.string().min(1).max(200), z.string().max(32_768));

const programSchema = z.strictObject({
  type: z.literal('stdio').optional(),
  command: z.string().min(1).max(4096),
  args: z.array(z.string().max(32_768)).max(200).optional(),
  env: pairs.optional(),
});

const addressSchema = z.strictObject({
  type: z.enum(['http', 'sse']),
  url: z.url({ protocol: /^https?$/ }).max(4096),
  headers: pairs.optional(),
});

export const mcpServerSchema = z.union([programSchema, addressSchema]);
/** The name becomes part of tool names. */
export const mcpServersSchema = z.record(z.string().regex(/^[A-Za-z0-9_-]{1,64}$/), mcpServerSchema);

export type McpServer = z.infer<typeof mcpServerSchema>;
export type McpServers = z.infer<typeof mcpServersSchema>;
