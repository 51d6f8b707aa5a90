/** Memory of a process as counted by Linux, in megabytes. */
import { readFileSync } from 'node:fs';

export interface ProcessMemory {
  /** Resident memory (RSS). */
  readonly resident: number;
  /** Proportional share (PSS): memory shared by several processes is divided among them. */
  readonly proportional: number;
}

export function processMemory(pid: number): ProcessMemory {
  const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
  const megabytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(text)?.[1]) / 1024;
  return { resident: megabytes('Rss'), proportional: megabytes('Pss') };
}
