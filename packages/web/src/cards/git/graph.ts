/** Computes the lanes of the commit graph from the parents, in display order. Pure. */
export interface GraphRow {
  readonly lane: number;
  /** Lanes that run through or end here, as above this row. */
  readonly above: readonly boolean[];
  readonly below: readonly boolean[];
  /** Lanes from this commit down to its parents. */
  readonly parents: readonly number[];
  /** Lanes above that merge into this commit. */
  readonly merged: readonly number[];
}

export interface GraphCommit {
  readonly commit: string;
  readonly parents: readonly string[];
}

export const MAX_LANES = 12;

export function graphRows(commits: readonly GraphCommit[]): GraphRow[] {
  /** The commit that each lane leads to. */
  const lanes: (string | undefined)[] = [];
  return commits.map(({ commit, parents }) => {
    const above = lanes.map((waits) => waits !== undefined);
    const merged = lanes.flatMap((waits, lane) => (waits === commit ? [lane] : []));
    const lane = merged[0] ?? freeLane(lanes);
    for (const one of merged) lanes[one] = undefined;
    const used: number[] = [];
    parents.forEach((parent, index) => {
      // The first parent stays on its child's lane, so that a branch runs straight down; lanes that lead to the
      // same commit merge in it.
      const known = lanes.indexOf(parent);
      const to = index === 0 && lanes[lane] === undefined ? lane : known !== -1 ? known : freeLane(lanes);
      lanes[to] = parent;
      used.push(to);
    });
    while (lanes.length > 0 && lanes.at(-1) === undefined) lanes.pop();
    return { lane, above, below: lanes.map((waits) => waits !== undefined), parents: used, merged };
  });
}

function freeLane(lanes: readonly (string | undefined)[]): number {
  const free = lanes.indexOf(undefined);
  return free === -1 ? lanes.length : free;
}
