/** Process figures, the user's commands and spending, for the stats area. */
import { Builds } from '../stats/builds.ts';
import { Sampler } from '../stats/sampler.ts';
import type { StatsOptions } from '../stats/stats-area.ts';
import type { Context } from './context.ts';
import type { Reading } from './reading.ts';
import type { Records } from './records.ts';

export function createStats(
  context: Context,
  { projects, sessions, configuration }: Records,
  { reader }: Reading,
): StatsOptions {
  const { ledger, store, timings, log, now, closing } = context;
  return {
    sampler: closing.add(
      new Sampler({
        ledger,
        everyMs: timings.sampleMs,
        now,
        children: () => (reader.pid === undefined ? [] : [{ pid: reader.pid, purpose: 'reader' }]),
        fault: (error) => log.warn('sample', { error }),
      }),
    ),
    builds: closing.add(
      new Builds({
        projects: () =>
          projects.list().map(({ id, path }) => ({
            project: id,
            directory: path,
            environment: projects.environment(id),
            commands: { ...configuration.current.builds, ...configuration.current.projects?.[path]?.builds },
          })),
        now,
        terminateMs: timings.terminateMs,
      }),
    ),
    usage: store.usage,
    session: (id) => sessions.find(id),
    now,
  };
}
