/** Permission rules and MCP servers from the agents' own settings files (W6), each with its file. */
import { z } from 'zod';

/** Scope of a settings file: the user's, the project's, the machine's, or our own `config`. */
export const FILE_SCOPES = ['user', 'project', 'machine', 'config'] as const;

const place = { file: z.string(), scope: z.enum(FILE_SCOPES) };

export const agentRuleSchema = z.object({ ...place, text: z.string() });

export const agentServerSchema = z.object({
  /** Undefined for a server that only a running session reports. */
  file: z.string().optional(),
  scope: z.enum(FILE_SCOPES).optional(),
  name: z.string(),
  /** Its command line or URL; never its variables or headers. */
  launch: z.string(),
  /** As reported by the agent of a running session. */
  status: z.string().optional(),
});

export const agentFilesSchema = z.object({
  agents: z.array(
    z.object({
      agent: z.string(),
      label: z.string(),
      rules: z.array(agentRuleSchema),
      servers: z.array(agentServerSchema),
      /** Files that exist but could not be parsed. */
      unread: z.array(z.string()),
    }),
  ),
});

export type FileScope = (typeof FILE_SCOPES)[number];
export type AgentRule = z.infer<typeof agentRuleSchema>;
export type AgentServer = z.infer<typeof agentServerSchema>;
export type AgentFiles = z.infer<typeof agentFilesSchema>;
