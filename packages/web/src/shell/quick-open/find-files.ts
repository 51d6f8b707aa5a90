/** Finds files of a project by a few letters, for quick open and the command palette. */
import { files } from '@tugdeck/protocol/areas/files';
import type { FoundFile } from '@tugdeck/protocol/files/messages';
import { useEffect, useState } from 'react';
import { faultText } from '../../kit/deck-actions.ts';
import { persisted, stringList } from '../../kit/persisted.ts';
import { useArea } from '../../kit/use-area.ts';

/** The line number can be typed too: `name:12`. */
export function lineOf(query: string): number | undefined {
  const line = /:(\d{1,7})$/.exec(query)?.[1];
  return line === undefined ? undefined : Number(line);
}

/** Keeps the last result until the next arrives, so that the list does not flicker. */
export function useFoundFiles(project: string | undefined, query: string) {
  const { channel } = useArea(files, project === undefined ? undefined : { project });
  const [answer, setAnswer] = useState<{ found: readonly FoundFile[]; fault?: string }>({ found: [] });
  useEffect(() => {
    if (!channel || project === undefined) return;
    let isOver = false;
    channel.call('find', { query: query.replace(/:\d*$/, '') }).then(
      ({ files: found }) =>
        !isOver && setAnswer({ found: query === '' ? recentFiles(project).first(found) : found }),
      (error: unknown) => !isOver && setAnswer({ found: [], fault: faultText(error) }),
    );
    return () => {
      isOver = true;
    };
  }, [channel, project, query]);
  return answer;
}

const MAX_FILES = 20;

/** Recently opened files per project, for an empty quick open. */
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
