/**
 * `config.json` in the data directory (L3): every option of the command line, the agents' own settings and
 * all durations. Read once at start; a file that is wrong is named, never half used.
 */
import { PROTOCOLS } from '@tugdeck/agents/catalogue';
import { LOG_LEVELS } from '@tugdeck/local/log';
import { mcpServersSchema } from '@tugdeck/local/mcp-servers';
import { readOwnFile } from '@tugdeck/local/ownership';
import { timingsSchema } from '@tugdeck/local/timings';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import { z } from 'zod';

/** What holds for an agent, or for every agent where it is said outside of one. */
const sharedSettings = {
  /** Absolute: what the agent may use beside the project. */
  directories: z.array(z.string().startsWith('/').max(4096)).max(50).optional(),
  mcpServers: mcpServersSchema.optional(),
  /** Absolute: folders of plugins, for agents that have such. */
  plugins: z.array(z.string().startsWith('/').max(4096)).max(50).optional(),
};

/** Long commands by name, whose state the stats card shows (W5). */
const builds = z.record(z.string().min(1).max(100), z.string().min(1).max(4096)).optional();

export const agentSettingsSchema = z.strictObject({
  ...sharedSettings,
  command: z.string().min(1).optional(),
  args: z.array(z.string()).optional(),
  env: z.record(z.string(), z.string()).optional(),
  model: z.string().optional(),
  mode: z.string().optional(),
  /** For an agent that the catalogue does not know. */
  label: z.string().optional(),
  protocol: z.enum(PROTOCOLS).optional(),
  /** `false`: the user knows that it takes no configuration from a project, so it starts without a yes to one (X6). */
  readsProject: z.boolean().optional(),
});
export type AgentSettings = z.infer<typeof agentSettingsSchema>;

const agentsSchema = z.record(z.string().regex(/^[a-z0-9-]{1,50}$/), agentSettingsSchema);

/** Only in the user's own file: a project's folder may be anybody's, and these name programs to run. */
export const projectSettingsSchema = z.strictObject({
  ...sharedSettings,
  agents: agentsSchema.optional(),
  builds,
});
export type ProjectSettings = z.infer<typeof projectSettingsSchema>;

export const configurationSchema = z.strictObject({
  host: z.string().min(1).max(253).optional(),
  /** By which name browsers reach `host`, where it is not that itself. */
  name: z.string().min(1).max(253).optional(),
  tlsCert: z.string().min(1).max(4096).optional(),
  tlsKey: z.string().min(1).max(4096).optional(),
  /** The user accepts that others could read along (X1). */
  plainHttp: z.boolean().optional(),
  port: z.number().int().min(0).max(65_535).optional(),
  open: z.boolean().optional(),
  logLevel: z.enum(LOG_LEVELS).optional(),
  /** The agent of a new session. */
  agent: z.string().min(1).optional(),
  agents: agentsSchema.optional(),
  ...sharedSettings,
  builds,
  /** By absolute path; what is said here wins. */
  projects: z.record(z.string().startsWith('/'), projectSettingsSchema).optional(),
  maxLiveHosts: z.number().int().min(1).max(100).optional(),
  timings: timingsSchema.optional(),
});
export type Configuration = z.infer<typeof configurationSchema>;

export function readConfiguration(file: string): Configuration {
  let text: string | undefined;
  try {
    text = readOwnFile(file);
  } catch (error) {
    if (error instanceof CodedError) throw error;
    throw unreadable(file, (error as Error).message);
  }
  return text === undefined ? {} : parseConfiguration(file, text);
}

/** `file` is for the words of the refusal. */
export function parseConfiguration(file: string, text: string): Configuration {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw unreadable(file, (error as Error).message);
  }
  const parsed = configurationSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw unreadable(file, `${issue?.path.join('.') || 'it'}: ${issue?.message ?? 'not understood'}`);
}

function unreadable(file: string, why: string): CodedError {
  return new CodedError('DATA_UNREADABLE', `${file}: ${why}`, 'Correct the file or move it away.');
}
