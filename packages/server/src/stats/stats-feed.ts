/** The `stats` feed (W5): samples of our processes while somebody looks, usage by day, the user's long commands. */
import {
  type StatsAsk,
  statsAboutSchema,
  statsAskSchema,
  type UsageRow,
} from '@tugdeck/protocol/stats/stats-messages';
import type { SessionRow } from '@tugdeck/protocol/wire/deck';
import type { FeedKind } from '../feeds/feed-kind.ts';
import type { UsageTable } from '../store/usage-table.ts';
import type { Builds } from './builds.ts';
import type { Sampler } from './sampler.ts';
import { dayOf } from './spending.ts';

export interface StatsRoom {
  readonly sampler: Sampler;
  readonly builds: Builds;
  readonly usage: UsageTable;
  readonly session: (id: string) => SessionRow | undefined;
  readonly now: () => number;
}

const DAY_MS = 86_400_000;

export function statsFeed(room: StatsRoom): FeedKind<object, StatsAsk> {
  return {
    name: 'stats',
    about: statsAboutSchema,
    ask: statsAskSchema,
    open(_about, out) {
      let unwatch: (() => void) | undefined;
      // A page that is behind misses a sample, not the next one.
      const tell = (push: object) => !out.congested && out.push(push);
      const unsubscribe = room.builds.subscribe((build) => out.push({ build }));
      return {
        ask(ask) {
          switch (ask.type) {
            case 'watch': {
              const samples = [...room.sampler.samples];
              unwatch ??= room.sampler.watch((sample) => tell({ sample }));
              return { samples };
            }
            case 'usage':
              return { rows: usageRows(room, ask.days) };
            case 'builds':
              return { builds: room.builds.list() };
            case 'build.run':
              return room.builds.run(ask.project, ask.name);
            case 'build.stop':
              return room.builds.stop(ask.project, ask.name);
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

function usageRows(room: StatsRoom, days: number): UsageRow[] {
  const from = dayOf(room.now() - (days - 1) * DAY_MS);
  return room.usage.since(from).flatMap((row) => {
    const session = room.session(row.session);
    if (!session) return [];
    const { project, title, agent } = session;
    return [{ ...row, project, title, agent }];
  });
}
