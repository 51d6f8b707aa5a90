/** Finds project files on the server, for completion. A newer request aborts an older one. */
import { z } from 'zod';
import { apiFetch } from '../../../../kit/api.ts';

const answerSchema = z.object({
  files: z.array(z.object({ path: z.string(), kind: z.enum(['file', 'folder']) })),
});
export type ProjectFile = z.infer<typeof answerSchema>['files'][number];

export async function findFiles(project: string, query: string, signal: AbortSignal): Promise<ProjectFile[]> {
  const response = await apiFetch(`/api/files?${new URLSearchParams({ project, q: query })}`, { signal });
  if (!response.ok) throw new Error(`Couldn’t list the files (${response.status})`);
  return answerSchema.parse(await response.json()).files;
}
