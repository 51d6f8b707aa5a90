/** Memory of a process as Linux counts it, in megabytes. */
import { readFileSync } from 'node:fs';

export interface ProcessMemory {
  /** All that it has in memory. */
  readonly resident: number;
  /** Its share: what several processes have in common is divided among them. */
  readonly proportional: number;
}

export function processMemory(pid: number): ProcessMemory {
  const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
  const megabytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(text)?.[1]) / 1024;
  return { resident: megabytes('Rss'), proportional: megabytes('Pss') };
}
