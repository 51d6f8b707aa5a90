/** Asks the server what a project brings for an agent (X6). The only fetch of the question of trust. */
import { type BroughtAnswer, broughtAnswerSchema } from '@tugdeck/protocol/trust/brought';
import { apiFetch } from '../api.ts';

export async function fetchBrought(
  project: string,
  agent: string,
  signal: AbortSignal,
): Promise<BroughtAnswer> {
  const response = await apiFetch(`/api/brought?${new URLSearchParams({ project, agent })}`, { signal });
  if (!response.ok) throw new Error(`What the project brings could not be read (${response.status}).`);
  return broughtAnswerSchema.parse(await response.json());
}
