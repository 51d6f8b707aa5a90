/** The configuration of a session host, sent as one JSON document on its stdin. */
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
  /** The project directory. */
  directory: z.string(),
  /** The complete environment of the agent (L9). */
  environment: z.record(z.string(), z.string()),
  /** A session of the agent to resume, or to fork, optionally only up to a message. */
  from: z
    .object({
      kind: z.enum(['resume', 'continue', 'fork']),
      id: z.string().default(''),
      at: z.string().optional(),
    })
    .optional(),
  /** The project is not trusted: the agent starts without the project's configuration (X6). */
  untrusted: z.boolean().optional(),
  /** The trusted configuration: the agent is not restarted if the project's configuration has changed since (X6). */
  trusted: z.object({ hash: z.string(), home: z.string() }).optional(),
  /** The machine that starts the host grants slots; prompts wait for one (D40). */
  slots: z.boolean().optional(),
  mode: z.string().optional(),
  model: z.string().optional(),
  /** Directories beside the project that the agent may read and change (A16). */
  directories: z.array(z.string()).optional(),
  mcpServers: mcpServersSchema.optional(),
  plugins: z.array(z.string()).default([]),
  timings: timingsSchema.optional().transform(withTimings),
  logLevel: z.enum(['debug', 'info', 'warn', 'error']).optional(),
});
export type HostConfig = z.infer<typeof hostConfigSchema>;
export type HostConfigInput = z.input<typeof hostConfigSchema>;

/** Reported once on descriptor 3: the address of the host, or why it could not start. */
export const hostReadySchema = z.union([
  z.object({ socket: z.string(), secret: z.string() }),
  z.object({ error: z.object({ code: z.string(), message: z.string() }) }),
]);
export type HostReady = z.infer<typeof hostReadySchema>;
