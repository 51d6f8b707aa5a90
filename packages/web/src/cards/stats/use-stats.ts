/** The stats area as state: live samples and commands, usage on request. Active only while its card is in front. */
import { stats } from '@tugdeck/protocol/areas/stats';
import type { Build, Sample, UsageRow } from '@tugdeck/protocol/stats/stats-messages';
import { useEffect, useState } from 'react';
import { useArea, useReply } from '../../kit/use-area.ts';

const MAX_SAMPLES = 300;

export interface Stats {
  readonly samples: readonly Sample[];
  readonly builds: readonly Build[];
  readonly usage: readonly UsageRow[] | undefined;
  readonly fault: string | undefined;
  readonly run: (build: Build) => void;
  readonly stop: (build: Build) => void;
}

/** `machine`: of another machine. */
export function useStats(isVisible: boolean, days: number, machine: string | undefined): Stats {
  const [samples, setSamples] = useState<readonly Sample[]>([]);
  const [builds, setBuilds] = useState<readonly Build[]>([]);
  const { channel, opened, fault, act } = useArea(stats, isVisible ? { machine } : undefined, (event) => {
    if ('sample' in event) setSamples((known) => [...known, event.sample].slice(-MAX_SAMPLES));
    else setBuilds((known) => known.map((one) => (isSame(one, event.build) ? event.build : one)));
  });
  const usage = useReply(channel, 'usage', { days });

  useEffect(() => {
    if (opened === 0) return;
    void act(async (area) => setSamples((await area.call('watch')).samples));
    void act(async (area) => setBuilds((await area.call('builds')).builds));
  }, [opened, act]);

  const order = (name: 'build.run' | 'build.stop') => (build: Build) => {
    void act((area) => area.call(name, { project: build.project, name: build.name }));
  };
  return {
    samples,
    builds,
    usage: usage.value?.rows,
    fault: fault ?? usage.fault,
    run: order('build.run'),
    stop: order('build.stop'),
  };
}

function isSame(a: Build, b: Build): boolean {
  return a.project === b.project && a.name === b.name;
}
