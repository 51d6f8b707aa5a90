/** Converts samples to plot lines. Pure. */
import type { ProcessPurpose, ProcessSample, Sample } from '@tugdeck/protocol/stats/stats-messages';

export interface Series {
  readonly name: string;
  readonly values: readonly number[];
}

const NAMES: Readonly<Record<ProcessPurpose, string>> = {
  server: 'Server',
  reader: 'Reader',
  host: 'Session hosts',
  agent: 'Agents',
  terminals: 'Terminals',
  other: 'Other',
};

/** A process belongs to the nearest ancestor with a known purpose. */
export function ownerOf(process: ProcessSample, all: ReadonlyMap<number, ProcessSample>): ProcessPurpose {
  let one: ProcessSample | undefined = process;
  for (let steps = 0; one && steps < 64; steps++) {
    if (one.purpose !== 'other') return one.purpose;
    one = one.parent === undefined ? undefined : all.get(one.parent);
  }
  return 'other';
}

/** One line per purpose, in a fixed order, so that colors stay. */
export function seriesOf(samples: readonly Sample[], value: (process: ProcessSample) => number): Series[] {
  const purposes = Object.keys(NAMES) as ProcessPurpose[];
  const sums = samples.map((sample) => {
    const byPid = new Map(sample.processes.map((process) => [process.pid, process]));
    const sum = new Map<ProcessPurpose, number>();
    for (const process of sample.processes) {
      const owner = ownerOf(process, byPid);
      sum.set(owner, (sum.get(owner) ?? 0) + value(process));
    }
    return sum;
  });
  return purposes
    .filter((purpose) => sums.some((sum) => sum.has(purpose)))
    .map((purpose) => ({ name: NAMES[purpose], values: sums.map((sum) => sum.get(purpose) ?? 0) }));
}

export interface ProcessRow {
  readonly process: ProcessSample;
  readonly depth: number;
}

/** The processes of a sample, each followed by its children. */
export function processTree(sample: Sample): ProcessRow[] {
  const children = new Map<number | undefined, ProcessSample[]>();
  const pids = new Set(sample.processes.map(({ pid }) => pid));
  for (const process of sample.processes) {
    const parent = process.parent !== undefined && pids.has(process.parent) ? process.parent : undefined;
    children.set(parent, [...(children.get(parent) ?? []), process]);
  }
  const rows: ProcessRow[] = [];
  const add = (parent: number | undefined, depth: number) => {
    for (const process of children.get(parent) ?? []) {
      rows.push({ process, depth });
      if (depth < 32) add(process.pid, depth + 1);
    }
  };
  add(undefined, 0);
  return rows;
}
