/**
 * `config.json` in the data directory (L3): every command-line option, agent settings and all durations. Read at
 * startup and on every change. An invalid file is reported with its path and never partly applied.
 */
import { PROTOCOLS } from '@tugdeck/agents/catalog';
import { LOG_LEVELS } from '@tugdeck/local/log';
import { mcpServersSchema } from '@tugdeck/local/mcp-servers';
import { readOwnFile } from '@tugdeck/local/ownership';
import { timingsSchema } from '@tugdeck/local/timings';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import { z } from 'zod';
import { workspaceSettingsSchema } from './workspaces/settings.ts';

/** Settings for one agent, or for all agents when they are at the top level. */
const sharedSettings = {
  /** Absolute paths that the agent may use besides the project. */
  directories: z.array(z.string().startsWith('/').max(4096)).max(50).optional(),
  mcpServers: mcpServersSchema.optional(),
  /** Absolute paths of plugin folders, for agents that support plugins. */
  plugins: z.array(z.string().startsWith('/').max(4096)).max(50).optional(),
};

/** Named long-running commands whose state the stats card shows (W5). */
const builds = z.record(z.string().min(1).max(100), z.string().min(1).max(4096)).optional();

export const agentSettingsSchema = z.strictObject({
  ...sharedSettings,
  command: z.string().min(1).optional(),
  args: z.array(z.string()).optional(),
  env: z.record(z.string(), z.string()).optional(),
  model: z.string().optional(),
  mode: z.string().optional(),
  /** For an agent that is not in the catalog. */
  label: z.string().optional(),
  protocol: z.enum(PROTOCOLS).optional(),
  /** `false`: the user asserts that the agent reads no project configuration, so it starts without trust (X6). */
  readsProject: z.boolean().optional(),
});
export type AgentSettings = z.infer<typeof agentSettingsSchema>;

const agentsSchema = z.record(z.string().regex(/^[a-z0-9-]{1,50}$/), agentSettingsSchema);

/** Only in the user's own file: these settings name programs to run, and a project folder may be anyone's. */
export const projectSettingsSchema = z.strictObject({
  ...sharedSettings,
  agents: agentsSchema.optional(),
  builds,
  workspaces: workspaceSettingsSchema.optional(),
});

/** Host names and aliases of ssh; never an option. */
export const MACHINE_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/;

/** Other machines (N20): how each is reached. Only in the user's own file, because it names programs to run. */
const machinesSchema = z.record(
  z.string().regex(MACHINE_NAME),
  z.strictObject({
    /** An argument list, run without a shell. Default: ssh to the host of that name. */
    command: z.array(z.string().min(1).max(4096)).min(1).max(100).optional(),
  }),
);

const memberSchema = z.strictObject({
  id: z.string().regex(/^[0-9a-f]{16}$/),
  /** SHA-256 of its certificate. */
  certificate: z.string().regex(/^[0-9a-f]{64}$/),
  /** Public key of its NATS user. */
  user: z.string().regex(/^U[A-Z2-7]{55}$/),
});

/** Addresses of NATS servers, separated by commas; without TLS only on this machine. */
const NATS = /^(?:tls:\/\/[^,\s]+|nats:\/\/(?:127\.0\.0\.1|localhost|\[::1\])[^,\s]*)(?:,tls:\/\/[^,\s]+)*$/;
const natsServer = z.string().max(1_000).regex(NATS, 'tls://HOST:PORT');

/** A fleet on NATS JetStream (N20); secrets are in `fleet/`. */
const fleetSchema = z.discriminatedUnion('role', [
  z.strictObject({
    role: z.literal('deck'),
    server: natsServer,
    /** Of the stream: 1, or 3 for a cluster of three. */
    replicas: z.number().int().min(1).max(5).optional(),
    machines: z.record(z.string().regex(MACHINE_NAME), memberSchema).optional(),
    /** Users of removed machines, with the time of their removal in seconds. */
    revoked: z.record(z.string().regex(/^U[A-Z2-7]{55}$/), z.number().int()).optional(),
  }),
  z.strictObject({ role: z.literal('machine'), server: natsServer }),
]);
export type FleetSettings = z.infer<typeof fleetSchema>;

export const configurationSchema = z.strictObject({
  host: z.string().min(1).max(253).optional(),
  /** The name by which browsers reach `host`, if it differs. */
  name: z.string().min(1).max(253).optional(),
  /** The origin of a proxy on this machine that terminates TLS, such as `https://deck.example`. */
  origin: z.string().min(1).max(300).optional(),
  tlsCert: z.string().min(1).max(4096).optional(),
  tlsKey: z.string().min(1).max(4096).optional(),
  /** The user accepts unencrypted traffic (X1). */
  plainHttp: z.boolean().optional(),
  port: z.number().int().min(0).max(65_535).optional(),
  open: z.boolean().optional(),
  logLevel: z.enum(LOG_LEVELS).optional(),
  /** The default agent for new sessions. */
  agent: z.string().min(1).optional(),
  agents: agentsSchema.optional(),
  /** Where the list of agents is downloaded from when the user asks for it (A23). */
  agentRegistry: z
    .string()
    .max(2_000)
    .regex(/^(?:https:\/\/|http:\/\/(?:127\.0\.0\.1|localhost|\[::1\])[:/])/)
    .optional(),
  /** Push services at private and loopback addresses may be called. For tests. */
  privatePush: z.boolean().optional(),
  ...sharedSettings,
  builds,
  workspaces: workspaceSettingsSchema.optional(),
  /** By absolute path; overrides the settings above. */
  projects: z.record(z.string().startsWith('/'), projectSettingsSchema).optional(),
  /** How many agents may run at once. Default: by the machine's memory. */
  maxLiveHosts: z.number().int().min(1).max(100).optional(),
  /** How many turns may run at once; further prompts are queued. */
  maxTurns: z.number().int().min(1).max(100).optional(),
  machines: machinesSchema.optional(),
  fleet: fleetSchema.optional(),
  timings: timingsSchema.optional(),
});
export type Configuration = z.infer<typeof configurationSchema>;

export function readConfiguration(file: string): Configuration {
  let text: string | undefined;
  try {
    text = readOwnFile(file);
  } catch (error) {
    if (error instanceof CodedError) throw error;
    throw invalidFile(file, (error as Error).message);
  }
  return text === undefined ? {} : parseConfiguration(file, text);
}

/** `file` is only used in error messages. */
export function parseConfiguration(file: string, text: string): Configuration {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw invalidFile(file, (error as Error).message);
  }
  const parsed = configurationSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw invalidFile(file, `${issue?.path.join('.') || 'value'}: ${issue?.message ?? 'invalid value'}`);
}

function invalidFile(file: string, why: string): CodedError {
  return new CodedError('DATA_UNREADABLE', `${file}: ${why}`, 'Fix the file or move it away.');
}
