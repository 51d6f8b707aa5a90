/**
 * The result of a benchmark, and statistics on samples. Ratios of interleaved series are the result; absolute figures
 * are valid only for that machine.
 */
import { loadavg } from 'node:os';

export interface Series {
  readonly unit: string;
  readonly median: number;
  readonly p95: number;
  readonly min: number;
  readonly max: number;
  readonly count: number;
}

export interface Judgement {
  readonly name: string;
  /** A ratio, unless the name says otherwise. */
  readonly ratio: number;
  readonly goal: number;
  readonly met: boolean;
}

export interface BenchResult {
  readonly name: string;
  /** One sentence: what was compared with what. */
  readonly about: string;
  readonly series: Readonly<Record<string, Series>>;
  readonly judgements: readonly Judgement[];
  /** Why the run has no verdict: the machine was too busy even for the reference. */
  readonly unjudged?: string;
  /** Load averages over one, five and fifteen minutes at the start of the run. */
  readonly load: readonly number[];
  readonly rounds: number;
}

export interface RunOptions {
  /** Interleaved repetitions of every variant. */
  readonly rounds: number;
  /** Runs of each absolute figure. */
  readonly runs: number;
  readonly quick: boolean;
  readonly log: (line: string) => void;
}

export interface Benchmark {
  readonly name: string;
  /** Runs only when named. */
  readonly isOptional?: boolean;
  run(options: RunOptions): Promise<BenchResult>;
}

/** Samples by series name, in order of first use. */
export class Samples {
  readonly #units = new Map<string, string>();
  readonly #values = new Map<string, number[]>();

  add(name: string, unit: string, ...values: readonly number[]): void {
    this.#units.set(name, unit);
    const known = this.#values.get(name) ?? [];
    known.push(...values);
    this.#values.set(name, known);
  }

  median(name: string): number {
    return quantile(this.#values.get(name) ?? [], 0.5);
  }

  least(name: string): number {
    return Math.min(...(this.#values.get(name) ?? []));
  }

  p95(name: string): number {
    return quantile(this.#values.get(name) ?? [], 0.95);
  }

  series(): Record<string, Series> {
    return Object.fromEntries(
      [...this.#values].map(([name, values]) => [name, summarize(values, this.#units.get(name) ?? '')]),
    );
  }
}

/** Interpolated, so that the median of two samples is their mean. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const place = (sorted.length - 1) * share;
  const low = sorted[Math.floor(place)] ?? Number.NaN;
  const high = sorted[Math.ceil(place)] ?? Number.NaN;
  return low + (high - low) * (place - Math.floor(place));
}

export function judge(name: string, ratio: number, goal: number): Judgement {
  return { name, ratio: rounded(ratio), goal, met: ratio <= goal };
}

export function machineLoad(): number[] {
  return loadavg().map(rounded);
}

function summarize(values: readonly number[], unit: string): Series {
  return {
    unit,
    median: rounded(quantile(values, 0.5)),
    p95: rounded(quantile(values, 0.95)),
    min: rounded(Math.min(...values)),
    max: rounded(Math.max(...values)),
    count: values.length,
  };
}

/** Three significant digits. */
function rounded(value: number): number {
  return Number(value.toPrecision(Math.abs(value) >= 1000 ? 4 : 3));
}
