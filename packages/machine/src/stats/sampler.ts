/**
 * Samples CPU and memory of all our processes (W5), only while someone watches. Keeps the last minutes, so that a
 * reopened card has its chart.
 */
import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import type { Ledger, LedgerRecord } from '@tugdeck/local/ledger';
import { whereabouts } from '@tugdeck/local/place';
import { type ProcessFigures, processTrees } from '@tugdeck/local/process-figures';
import type { ProcessPurpose, ProcessSample, Sample } from '@tugdeck/protocol/stats/stats-messages';

export interface SamplerOptions {
  readonly ledger: Ledger;
  readonly everyMs: number;
  readonly now: () => number;
  /** Child processes that are not in the ledger. */
  readonly children: () => readonly { readonly pid: number; readonly purpose: ProcessPurpose }[];
  readonly fault: (error: unknown) => void;
}

interface KnownProcess {
  readonly purpose: ProcessPurpose;
  readonly session?: string | undefined;
  /** Shown instead of the program's name. */
  readonly name?: string | undefined;
}

const MAX_SAMPLES = 300;
const NS_PER_MS = 1e6;
/** The monitor's resolution, which is included in what it measures. */
const LOOP_RESOLUTION_MS = 50;

export class Sampler {
  readonly #options: SamplerOptions;
  readonly #listeners = new Set<(sample: Sample) => void>();
  readonly #samples: Sample[] = [];
  #before = new Map<number, { readonly cpuSeconds: number; readonly at: number }>();
  #timer: NodeJS.Timeout | undefined;
  #loop: IntervalHistogram | undefined;

  constructor(options: SamplerOptions) {
    this.#options = options;
  }

  get samples(): readonly Sample[] {
    return this.#samples;
  }

  watch(listener: (sample: Sample) => void): () => void {
    const own = (sample: Sample) => listener(sample);
    this.#listeners.add(own);
    if (this.#listeners.size === 1) this.#start();
    return () => {
      this.#listeners.delete(own);
      if (this.#listeners.size === 0) this.#stop();
    };
  }

  close(): void {
    this.#listeners.clear();
    this.#stop();
  }

  #start(): void {
    this.#before.clear();
    this.#loop = monitorEventLoopDelay({ resolution: LOOP_RESOLUTION_MS });
    this.#loop.enable();
    this.#next();
  }

  #stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#loop?.disable();
    this.#loop = undefined;
  }

  #next(): void {
    const loop = this.#loop;
    this.#take(loop)
      .catch((error: unknown) => this.#options.fault(error))
      .finally(() => {
        if (this.#loop !== loop || !loop) return;
        this.#timer = setTimeout(() => this.#next(), this.#options.everyMs);
        this.#timer.unref();
      });
  }

  async #take(loop: IntervalHistogram | undefined): Promise<void> {
    const { ledger, now, children } = this.#options;
    const known = new Map<number, KnownProcess>();
    known.set(process.pid, { purpose: 'server' });
    for (const { pid, purpose } of children()) known.set(pid, { purpose });
    for (const record of ledger.read()) {
      if (whereabouts(record.identity) !== 'here') continue;
      const name = record.purpose === 'keeper' ? 'Keeper' : undefined;
      known.set(record.identity.pid, { purpose: purposeOf(record), session: record.session, name });
    }
    const figures = await processTrees([...known.keys()]);
    if (this.#loop !== loop || !loop) return;
    const at = now();
    const processes = figures.map((one) => this.#sample(one, known, figures, at));
    this.#before = new Map(figures.map(({ pid, cpuSeconds }) => [pid, { cpuSeconds, at }]));
    // The monitor has no data before its first measurement.
    const interval = loop.percentile(99) / NS_PER_MS;
    const delay = loop.count === 0 ? 0 : Math.max(0, interval - LOOP_RESOLUTION_MS);
    loop.reset();
    const sample: Sample = { at, loopMs: round(delay), processes };
    this.#samples.push(sample);
    if (this.#samples.length > MAX_SAMPLES) this.#samples.shift();
    for (const listener of [...this.#listeners]) listener(sample);
  }

  #sample(
    figures: ProcessFigures,
    known: ReadonlyMap<number, KnownProcess>,
    all: readonly ProcessFigures[],
    at: number,
  ): ProcessSample {
    const { pid, parent, name, cpuSeconds, rss } = figures;
    const before = this.#before.get(pid);
    const seconds = before ? (at - before.at) / 1000 : 0;
    const cpu = before && seconds > 0 ? Math.max(0, (cpuSeconds - before.cpuSeconds) / seconds) : 0;
    const own = known.get(pid);
    const isInside = all.some((other) => other.pid === parent);
    return {
      pid,
      ...(isInside ? { parent } : {}),
      purpose: own?.purpose ?? 'other',
      ...(own?.session === undefined ? {} : { session: own.session }),
      name: own?.name ?? name,
      cpu: round(cpu),
      rss,
    };
  }
}

function purposeOf({ purpose }: LedgerRecord): ProcessPurpose {
  switch (purpose) {
    case 'server':
    case 'host':
    case 'agent':
      return purpose;
    case 'keeper':
      return 'other';
    default:
      return 'terminals';
  }
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000;
}
