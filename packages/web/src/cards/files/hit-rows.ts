/** Hits of a search as the rows of a list. Pure. */
import type { SearchHit } from '@tugdeck/protocol/files/messages';

export interface HitRow {
  readonly key: string;
  readonly path: string;
  readonly hit: SearchHit | undefined;
  /** Of a file's own row: how many hits follow. */
  readonly count: number;
}

/** Files with their hits below; files in the order of their first hit. Pure. */
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
