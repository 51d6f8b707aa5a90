/** Fetches the project's agent configuration (X6) for the trust dialog. */
import { type ProjectConfig, projectConfigSchema } from '@tugdeck/protocol/trust/project-config';
import { apiFetch } from '../../kit/api.ts';

export async function fetchProjectConfig(
  project: string,
  agent: string,
  signal: AbortSignal,
): Promise<ProjectConfig> {
  const response = await apiFetch(`/api/brought?${new URLSearchParams({ project, agent })}`, { signal });
  if (!response.ok) throw new Error(`Couldn’t read the project’s configuration (${response.status})`);
  return projectConfigSchema.parse(await response.json());
}
