/** Recently opened files per project, for an empty quick open. */
import type { FoundFile } from '@tugdeck/protocol/files/messages';
import { persisted, stringList } from '../../kit/persisted.ts';

const MAX_FILES = 20;

export function recentFiles(project: string) {
  const memory = persisted<readonly string[]>(`recent-files.${project}`, stringList);
  return {
    add(path: string): void {
      memory.set([path, ...memory.get().filter((one) => one !== path)].slice(0, MAX_FILES));
    },
    /** Recent files first, then the others. */
    first(found: readonly FoundFile[]): FoundFile[] {
      const recent = memory.get().map((path): FoundFile => ({ path, kind: 'file', at: [] }));
      const known = new Set(memory.get());
      return [...recent, ...found.filter(({ path }) => !known.has(path))];
    },
  };
}
