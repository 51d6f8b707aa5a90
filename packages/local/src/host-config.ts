/** What a session host is told at its start, as one JSON document on its stdin. */
import { z } from 'zod';
import { mcpServersSchema } from './mcp-servers.ts';
import { timingsSchema, withTimings } from './timings.ts';

export const hostConfigSchema = z.object({
  dataDirectory: z.string(),
  runtimeDirectory: z.string(),
  session: z.string(),
  agent: z.object({
    name: z.string(),
    label: z.string(),
    protocol: z.string(),
    command: z.string(),
    args: z.array(z.string()),
  }),
  /** The project. */
  directory: z.string(),
  /** The whole environment of the agent (L9). */
  environment: z.record(z.string(), z.string()),
  /** A session of the agent's own to begin with: go on with it, or in a copy, maybe only up to a message. */
  from: z
    .object({
      kind: z.enum(['resume', 'continue', 'fork']),
      id: z.string().default(''),
      at: z.string().optional(),
    })
    .optional(),
  /** The project is not trusted: the agent starts without what it brings (X6). */
  untrusted: z.boolean().optional(),
  /** What the user said yes to: the agent is not started again where the project has another configuration by then (X6). */
  trusted: z.object({ hash: z.string(), home: z.string() }).optional(),
  mode: z.string().optional(),
  model: z.string().optional(),
  /** Beside the project: what the agent may also read and change (A16). */
  directories: z.array(z.string()).optional(),
  mcpServers: mcpServersSchema.optional(),
  plugins: z.array(z.string()).default([]),
  timings: timingsSchema.optional().transform(withTimings),
  logLevel: z.enum(['debug', 'info', 'warn', 'error']).optional(),
});
export type HostConfig = z.infer<typeof hostConfigSchema>;
export type HostConfigInput = z.input<typeof hostConfigSchema>;

/** What a host says once, on its descriptor 3, when it can be reached, or why it cannot. */
export const hostReadySchema = z.union([
  z.object({ socket: z.string(), secret: z.string() }),
  z.object({ error: z.object({ code: z.string(), message: z.string() }) }),
]);
export type HostReady = z.infer<typeof hostReadySchema>;
