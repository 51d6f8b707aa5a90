/** Search hits as list rows. Pure. */
import type { SearchHit } from '@tugdeck/protocol/files/messages';

export interface HitRow {
  readonly key: string;
  readonly path: string;
  readonly hit: SearchHit | undefined;
  /** In a file's row: the number of its hits. */
  readonly count: number;
}

/** Each file followed by its hits, in the order of first hits. */
export function hitRows(hits: readonly SearchHit[]): HitRow[] {
  const byFile = new Map<string, SearchHit[]>();
  for (const hit of hits) {
    const found = byFile.get(hit.path);
    if (found) found.push(hit);
    else byFile.set(hit.path, [hit]);
  }
  return [...byFile].flatMap(([path, found]) => [
    { key: path, path, hit: undefined, count: found.length },
    ...found.map((hit, index) => ({ key: `${path}\n${index}`, path, hit, count: 0 })),
  ]);
}
