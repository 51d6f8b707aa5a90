/** Serves the stats area (W5): process samples while watched, usage by day, and the user's commands. */
import { stats } from '@tugdeck/protocol/areas/stats';
import type { UsageRow } from '@tugdeck/protocol/stats/stats-messages';
import type { SessionRow } from '@tugdeck/protocol/wire/deck';
import type { UsageTable } from '@tugdeck/store/usage-table';
import { type ServedArea, serveArea } from '../areas/serve-area.ts';
import type { Builds } from './builds.ts';
import type { Sampler } from './sampler.ts';
import { dayOf } from './spending.ts';

export interface StatsOptions {
  readonly sampler: Sampler;
  readonly builds: Builds;
  readonly usage: UsageTable;
  readonly session: (id: string) => SessionRow | undefined;
  readonly now: () => number;
}

const DAY_MS = 86_400_000;

export function serveStats(options: StatsOptions): ServedArea {
  const { sampler, builds } = options;
  return serveArea(stats, (_about, out) => {
    let unwatch: (() => void) | undefined;
    const unsubscribe = builds.subscribe((build) => out.emit({ build }));
    return {
      calls: {
        watch() {
          const samples = [...sampler.samples];
          // A slow page skips samples.
          unwatch ??= sampler.watch((sample) => !out.congested && out.emit({ sample }));
          return { samples };
        },
        usage: ({ days }) => ({ rows: usageRows(options, days) }),
        builds: () => ({ builds: builds.list() }),
        'build.run': ({ project, name }) => builds.run(project, name),
        'build.stop': ({ project, name }) => builds.stop(project, name),
      },
      close() {
        unwatch?.();
        unsubscribe();
      },
    };
  });
}

function usageRows(options: StatsOptions, days: number): UsageRow[] {
  const from = dayOf(options.now() - (days - 1) * DAY_MS);
  return options.usage.since(from).flatMap((row) => {
    const session = options.session(row.session);
    if (!session) return [];
    const { project, title, agent } = session;
    return [{ ...row, project, title, agent }];
  });
}
