/** The editable values of an agent in the configuration file. */
import { z } from 'zod';

const agentValuesSchema = z.object({
  command: z.string().optional(),
  model: z.string().optional(),
  mode: z.string().optional(),
  env: z.record(z.string(), z.string()).optional(),
});
export type AgentValues = z.infer<typeof agentValuesSchema>;

export function agentValues(
  values: Readonly<Record<string, unknown>> | undefined,
  name: string,
): AgentValues {
  const agents = z.record(z.string(), z.unknown()).safeParse(values?.agents).data ?? {};
  return agentValuesSchema.safeParse(agents[name]).data ?? {};
}

/** One `NAME=value` per line; a line without `=` is invalid. */
export function parseVariables(text: string): Record<string, string> | undefined {
  const pairs = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map((line) => /^([A-Za-z_][A-Za-z0-9_]*)=(.*)$/.exec(line));
  if (pairs.some((pair) => pair === null)) return undefined;
  return Object.fromEntries(pairs.map((pair) => [pair?.[1] ?? '', pair?.[2] ?? '']));
}

export function writeVariables(env: AgentValues['env']): string {
  return Object.entries(env ?? {})
    .map(([name, value]) => `${name}=${value}`)
    .join('\n');
}
