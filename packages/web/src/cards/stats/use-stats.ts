/** The stats feed as state: live samples and commands, usage on request. Active only while its card is in front. */
import type { FeedChannel } from '@tugdeck/client/feeds';
import {
  type Build,
  buildsValueSchema,
  type Sample,
  statsPushSchema,
  type UsageRow,
  usageValueSchema,
  watchValueSchema,
} from '@tugdeck/protocol/stats/stats-messages';
import { useCallback, useEffect, useState } from 'react';
import { useClient } from '../../app/client-context.tsx';
import { faultText } from '../../app/deck-actions.ts';

const MAX_SAMPLES = 300;

export interface Stats {
  readonly samples: readonly Sample[];
  readonly builds: readonly Build[];
  readonly usage: readonly UsageRow[] | undefined;
  readonly fault: string | undefined;
  readonly run: (build: Build) => void;
  readonly stop: (build: Build) => void;
}

export function useStats(isVisible: boolean, days: number): Stats {
  const client = useClient();
  const [feed, setFeed] = useState<FeedChannel>();
  const [opened, setOpened] = useState(0);
  const [samples, setSamples] = useState<readonly Sample[]>([]);
  const [builds, setBuilds] = useState<readonly Build[]>([]);
  const [usage, setUsage] = useState<readonly UsageRow[]>();
  const [fault, setFault] = useState<string>();

  useEffect(() => {
    if (!isVisible) return;
    const channel = client.openFeed('stats', {});
    setFeed(channel);
    const unsubscribe = channel.state.subscribe(() => {
      if (channel.state.get() === 'open') setOpened((times) => times + 1);
    });
    const unlisten = channel.onPush((push) => {
      const parsed = statsPushSchema.safeParse(push);
      if (!parsed.success) return;
      const change = parsed.data;
      if ('sample' in change) setSamples((known) => [...known, change.sample].slice(-MAX_SAMPLES));
      else setBuilds((known) => known.map((one) => (isSame(one, change.build) ? change.build : one)));
    });
    return () => {
      unsubscribe();
      unlisten();
      channel.close();
      setFeed(undefined);
    };
  }, [client, isVisible]);

  const fail = useCallback((error: unknown) => setFault(faultText(error)), []);

  // biome-ignore lint/correctness/useExhaustiveDependencies: each opening requests the data again.
  useEffect(() => {
    if (!feed) return;
    setFault(undefined);
    feed
      .request({ type: 'watch' })
      .then((value) => setSamples(watchValueSchema.parse(value).samples))
      .catch(fail);
    feed
      .request({ type: 'builds' })
      .then((value) => setBuilds(buildsValueSchema.parse(value).builds))
      .catch(fail);
  }, [feed, opened, fail]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: each opening requests the data again.
  useEffect(() => {
    if (!feed) return;
    feed
      .request({ type: 'usage', days })
      .then((value) => setUsage(usageValueSchema.parse(value).rows))
      .catch(fail);
  }, [feed, opened, days, fail]);

  const order = (type: 'build.run' | 'build.stop') => (build: Build) => {
    feed?.request({ type, project: build.project, name: build.name }).catch(fail);
  };
  return { samples, builds, usage, fault, run: order('build.run'), stop: order('build.stop') };
}

function isSame(a: Build, b: Build): boolean {
  return a.project === b.project && a.name === b.name;
}
