/** The machines that have a project (N17), the one with most free memory first. */
import { z } from 'zod';
import { apiFetch } from './api.ts';

const placesSchema = z.object({
  places: z.array(
    z.object({ project: z.string(), machine: z.string().optional(), freeMemory: z.number().nonnegative() }),
  ),
});
export type Place = z.infer<typeof placesSchema>['places'][number];

/** Empty if they can't be asked. */
export async function placesOf(project: string): Promise<Place[]> {
  const response = await apiFetch(`/api/places?${new URLSearchParams({ project })}`).catch(() => undefined);
  if (!response?.ok) return [];
  return placesSchema.safeParse(await response.json()).data?.places ?? [];
}
