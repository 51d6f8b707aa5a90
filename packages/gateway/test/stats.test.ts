import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { dayOf, usageBetween } from '@tugdeck/machine/stats/spending';
import { stats } from '@tugdeck/protocol/areas/stats';
import type { Summary } from '@tugdeck/protocol/conversation/summarize';
import { sampleSchema } from '@tugdeck/protocol/stats/stats-messages';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { pageWithSession, type TestPage, type TestPlace, testPlace } from './test-server.ts';

const usage = (outputTokens: number, costUsd: number, inheritedUsd?: number) => ({
  inputTokens: 10,
  outputTokens,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  costUsd,
  ...(inheritedUsd === undefined ? {} : { inheritedUsd }),
});
const summary = (usage?: Summary['usage']): Summary => ({
  v: 1,
  agentState: 'connected',
  turn: 'idle',
  waiting: 0,
  entries: 1,
  changedAt: 0,
  ...(usage ? { usage } : {}),
});

describe('usage', () => {
  test('W5 only usage since the last summary is added', () => {
    expect(usageBetween(undefined, summary(usage(5, 0.5)))).toMatchObject({ outputTokens: 5, costUsd: 0.5 });
    const more = usageBetween(summary(usage(5, 0.5)), summary(usage(9, 0.75)));
    expect(more).toMatchObject({ inputTokens: 0, outputTokens: 4, costUsd: 0.25 });
    expect(usageBetween(summary(usage(9, 1)), summary(usage(9, 1)))).toBeUndefined();
    expect(usageBetween(summary(), summary())).toBeUndefined();
  });

  test('W5 a reset count is all new; usage inherited by a fork belongs to its parent', () => {
    expect(usageBetween(summary(usage(9, 1)), summary(usage(2, 0.1)))).toMatchObject({
      outputTokens: 2,
      costUsd: 0.1,
    });
    expect(usageBetween(undefined, summary(usage(2, 1.5, 1)))).toMatchObject({ costUsd: 0.5 });
  });

  test('W5 a day is in the user’s time zone', () => {
    const at = new Date(2026, 10, 5, 23, 59).getTime();
    expect(dayOf(at)).toBe('2026-11-05');
    expect(dayOf(at + 60_000)).toBe('2026-11-06');
  });
});

describe('the stats feed', () => {
  let place: TestPlace;
  let page: TestPage;
  let project: string;

  beforeEach(async () => {
    place = testPlace();
    const server = await place.start({
      config: {
        timings: { farewellMs: 200, terminateMs: 200, sampleMs: 5 },
        builds: { fine: 'echo all well', broken: 'echo no >&2; exit 3', slow: 'echo on; exec sleep 600' },
      },
    });
    ({ page, project } = await pageWithSession(place, server));
    await page.request({ type: 'feed.open', channel: 9, feed: 'stats', about: {} });
  });
  afterEach(() => place.clear());

  const pushed = (what: string, fits: (value: Record<string, unknown>) => boolean) =>
    page.push(9, (push) => {
      const value = (push as Record<string, unknown>)[what] as Record<string, unknown> | undefined;
      return value !== undefined && fits(value);
    });

  test('W5 samples include the server with its memory, only while someone watches', async () => {
    expect(await page.call('stats', 9, { type: 'watch' })).toEqual({ samples: [] });
    const push = (await pushed('sample', () => true)) as { sample: unknown };
    const { processes } = sampleSchema.parse(push.sample);
    const server = processes.find(({ purpose }) => purpose === 'server');
    expect(server).toMatchObject({ pid: process.pid });
    expect(server?.rss).toBeGreaterThan(10_000_000);
    const busy = (await pushed('sample', ({ processes: all }) =>
      (all as { pid: number; cpu: number }[]).some(({ pid, cpu }) => pid === process.pid && cpu > 0),
    )) as { sample: unknown };
    expect(sampleSchema.parse(busy.sample).loopMs).toBeGreaterThanOrEqual(0);
  });

  test('W5 usage is returned by day; without usage it is empty', async () => {
    expect(stats.calls.usage.output.parse(await page.call('stats', 9, { type: 'usage', days: 30 }))).toEqual({
      rows: [],
    });
    await expect(page.call('stats', 9, { type: 'usage', days: 0 })).rejects.toMatchObject({
      code: 'INVALID_MESSAGE',
    });
  });

  test('W5 configured commands run, pass, fail, and are stopped with all their processes', async () => {
    const value = stats.calls.builds.output.parse(await page.call('stats', 9, { type: 'builds' }));
    expect(value.builds.map(({ name, state }) => `${name} ${state}`)).toEqual([
      'fine never',
      'broken never',
      'slow never',
    ]);
    const run = (name: string) => page.call('stats', 9, { type: 'build.run', project, name });
    await run('fine');
    expect(await pushed('build', ({ name, state }) => name === 'fine' && state === 'passed')).toMatchObject({
      build: { tail: 'all well\n', exitCode: 0 },
    });
    await run('broken');
    expect(await pushed('build', ({ name, state }) => name === 'broken' && state === 'failed')).toMatchObject(
      {
        build: { tail: 'no\n', exitCode: 3 },
      },
    );
    await run('slow');
    await expect(run('slow')).rejects.toMatchObject({ code: 'TOO_MANY' });
    await page.call('stats', 9, { type: 'build.stop', project, name: 'slow' });
    await pushed('build', ({ name, state }) => name === 'slow' && state === 'stopped');
    await expect(run('nothing')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(run('constructor')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(existsSync(join(place.project, 'nothing'))).toBe(false);
  });
});
