/** What agents' own settings files say (W6): permission rules and MCP servers, each with the file that holds it. */
import { z } from 'zod';

/** Whose file: the user's, the project's, or one that holds for the whole machine. `config` is our own. */
export const FILE_SCOPES = ['user', 'project', 'machine', 'config'] as const;

const place = { file: z.string(), scope: z.enum(FILE_SCOPES) };

export const agentRuleSchema = z.object({ ...place, text: z.string() });

export const agentServerSchema = z.object({
  /** Absent for one that only a running session knows of. */
  file: z.string().optional(),
  scope: z.enum(FILE_SCOPES).optional(),
  name: z.string(),
  /** Its command line or address; never its variables or headers. */
  launch: z.string(),
  /** As the agent of a running session says it. */
  status: z.string().optional(),
});

export const agentFilesSchema = z.object({
  agents: z.array(
    z.object({
      agent: z.string(),
      label: z.string(),
      rules: z.array(agentRuleSchema),
      servers: z.array(agentServerSchema),
      /** Files that are there and could not be understood. */
      unread: z.array(z.string()),
    }),
  ),
});

export const agentFilesPushSchema = z.object({ agentFiles: agentFilesSchema });

export type FileScope = (typeof FILE_SCOPES)[number];
export type AgentRule = z.infer<typeof agentRuleSchema>;
export type AgentServer = z.infer<typeof agentServerSchema>;
export type AgentFiles = z.infer<typeof agentFilesSchema>;
