/** Asks the server for the configuration that a project has for agents (X6). The only fetch of the question of trust. */
import { type ProjectConfig, projectConfigSchema } from '@tugdeck/protocol/trust/project-config';
import { apiFetch } from '../api.ts';

export async function fetchProjectConfig(
  project: string,
  agent: string,
  signal: AbortSignal,
): Promise<ProjectConfig> {
  const response = await apiFetch(`/api/brought?${new URLSearchParams({ project, agent })}`, { signal });
  if (!response.ok) throw new Error(`The project's configuration could not be read (${response.status}).`);
  return projectConfigSchema.parse(await response.json());
}
