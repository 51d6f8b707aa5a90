/** The pull request of a workspace (B55), read only while it is shown (B56). */
import type { AreaChannel } from '@tugdeck/client/areas';
import type { pulls } from '@tugdeck/protocol/areas/pulls';
import type { PullState } from '@tugdeck/protocol/workspaces/pull';
import { useEffect, useState } from 'react';
import { faultText } from '../../kit/deck-actions.ts';

const EVERY_MS = 60_000;
const RUNNING_MS = 15_000;
const RUNNING_FOR_MS = 10 * 60_000;

export interface WatchedPull {
  readonly state: PullState | undefined;
  readonly fault: string | undefined;
}

/** Asks at once, when the page is shown again, and then by `pauseAfter`; never while the page is hidden. */
export function usePull(
  channel: AreaChannel<typeof pulls> | undefined,
  workspace: string,
  number: number | undefined,
): WatchedPull {
  const [watched, setWatched] = useState<WatchedPull>({ state: undefined, fault: undefined });
  useEffect(() => {
    if (!channel || number === undefined) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isOver = false;
    const since = Date.now();
    const later = (state: PullState | undefined) => {
      clearTimeout(timer);
      if (!isOver && !document.hidden) {
        timer = setTimeout(() => void ask(), pauseAfter(state, Date.now() - since));
      }
    };
    const ask = async () => {
      try {
        const { pull } = await channel.call('state', { workspace });
        if (!isOver) setWatched({ state: pull, fault: undefined });
        later(pull);
      } catch (error) {
        if (!isOver) setWatched((old) => ({ ...old, fault: faultText(error) }));
        later(undefined);
      }
    };
    const onVisible = () => {
      clearTimeout(timer);
      if (!document.hidden) void ask();
    };
    document.addEventListener('visibilitychange', onVisible);
    if (!document.hidden) void ask();
    return () => {
      isOver = true;
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', onVisible);
    };
  }, [channel, workspace, number]);
  return number === undefined ? { state: undefined, fault: undefined } : watched;
}

/** Faster while checks run, for a while. */
export function pauseAfter(state: PullState | undefined, lookedForMs: number): number {
  const isRunning = state?.state === 'open' && state.checks.some((check) => check.state === 'running');
  return isRunning && lookedForMs < RUNNING_FOR_MS ? RUNNING_MS : EVERY_MS;
}
