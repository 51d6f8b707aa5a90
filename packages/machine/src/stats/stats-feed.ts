/** The `stats` feed (W5): process samples while watched, usage by day, and the user's commands. */
import {
  type StatsAsk,
  statsAboutSchema,
  statsAskSchema,
  type UsageRow,
} from '@tugdeck/protocol/stats/stats-messages';
import type { SessionRow } from '@tugdeck/protocol/wire/deck';
import type { UsageTable } from '@tugdeck/store/usage-table';
import type { FeedKind } from '../feeds/feed-kind.ts';
import type { Builds } from './builds.ts';
import type { Sampler } from './sampler.ts';
import { dayOf } from './spending.ts';

export interface StatsFeedOptions {
  readonly sampler: Sampler;
  readonly builds: Builds;
  readonly usage: UsageTable;
  readonly session: (id: string) => SessionRow | undefined;
  readonly now: () => number;
}

const DAY_MS = 86_400_000;

export function statsFeed(options: StatsFeedOptions): FeedKind<object, StatsAsk> {
  return {
    name: 'stats',
    about: statsAboutSchema,
    ask: statsAskSchema,
    open(_about, out) {
      let unwatch: (() => void) | undefined;
      // A slow page skips samples.
      const pushSample = (push: object) => !out.congested && out.push(push);
      const unsubscribe = options.builds.subscribe((build) => out.push({ build }));
      return {
        ask(ask) {
          switch (ask.type) {
            case 'watch': {
              const samples = [...options.sampler.samples];
              unwatch ??= options.sampler.watch((sample) => pushSample({ sample }));
              return { samples };
            }
            case 'usage':
              return { rows: usageRows(options, ask.days) };
            case 'builds':
              return { builds: options.builds.list() };
            case 'build.run':
              return options.builds.run(ask.project, ask.name);
            case 'build.stop':
              return options.builds.stop(ask.project, ask.name);
          }
        },
        close() {
          unwatch?.();
          unsubscribe();
        },
      };
    },
  };
}

function usageRows(options: StatsFeedOptions, days: number): UsageRow[] {
  const from = dayOf(options.now() - (days - 1) * DAY_MS);
  return options.usage.since(from).flatMap((row) => {
    const session = options.session(row.session);
    if (!session) return [];
    const { project, title, agent } = session;
    return [{ ...row, project, title, agent }];
  });
}
