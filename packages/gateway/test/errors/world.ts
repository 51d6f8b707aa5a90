/**
 * One running server with a git project and a page with every feed open, to see what users are shown when something
 * is refused. For the table of error cases.
 */
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ErrorCode, errorCodeSchema } from '@tugdeck/protocol/wire/error-codes';
import { type ErrorReport, reportOf } from '@tugdeck/protocol/wire/errors';
import type { Visit } from '@tugdeck/testkit/visit';
import { z } from 'zod';
import { gitWorld, repositoryAt, type TestRepository } from '../../../machine/test/git-fixture.ts';
import type { RunningServer } from '../../src/main.ts';
import { fetchUrl, pageWithSession, type TestPage, type TestPlace, testPlace } from '../test-server.ts';

const CHANNELS = { files: 20, git: 21, review: 22, settings: 23, terminal: 24 } as const;

export interface World {
  readonly base: string;
  readonly place: TestPlace;
  readonly server: RunningServer;
  readonly page: TestPage;
  readonly visit: Visit;
  readonly session: string;
  readonly project: string;
  readonly repository: TestRepository;
  feed(name: keyof typeof CHANNELS, request: object): Promise<unknown>;
  /** A second server for cases that would break this one; closed with the world. */
  another(): TestPlace;
  close(): Promise<void>;
}

/** How to provoke an error code, and the expected message and advice; by default those of the catalog. */
export interface ErrorCase {
  readonly provoke: (world: World) => Promise<ErrorReport>;
  readonly says?: string | RegExp;
  readonly advises?: string | RegExp;
}
export type ErrorCases = Partial<Record<ErrorCode, ErrorCase>>;

export async function openWorld(): Promise<World> {
  const git = gitWorld();
  const base = mkdtempSync(join(tmpdir(), 'tugdeck-codes-'));
  const place = testPlace();
  const others: TestPlace[] = [];
  const repository = repositoryAt(place.project);
  repository.commit('first', { 'a.txt': 'one\n', 'inner/b.txt': 'two\n' });
  symlinkSync('/', join(place.project, 'door'));
  const agents = {
    tester: { command: process.execPath, protocol: 'acp' as const },
    gemini: { command: process.execPath },
    absent: { command: join(base, 'absent'), protocol: 'acp' as const },
  };
  const server = await place.start({
    config: { port: 0, agent: 'tester', agents },
    limits: { fileUpload: 1_000 },
  });
  const opened = await pageWithSession(place, server);
  const { page, session, project } = opened;
  for (const [feed, channel] of Object.entries(CHANNELS)) {
    const about = feed === 'review' ? { session } : feed === 'settings' ? {} : { project };
    await asReport(page.request({ type: 'feed.open', channel, feed, about }));
  }
  return {
    base,
    place,
    server,
    repository,
    ...opened,
    feed: (name, what) => page.call(name, CHANNELS[name], what),
    another() {
      const other = testPlace();
      others.push(other);
      return other;
    },
    async close() {
      for (const one of [place, ...others]) await one.clear();
      rmSync(base, { recursive: true, force: true });
      git.dispose();
    },
  };
}

async function asReport(answer: Promise<{ type: string }>): Promise<void> {
  const message = await answer;
  if (message.type === 'error') throw new Error(JSON.stringify(message));
}

const reportSchema = z.object({ code: errorCodeSchema, message: z.string(), hint: z.string() });

/** The error a page receives for a request. */
export async function errorOf(answer: Promise<unknown>): Promise<ErrorReport> {
  return reportSchema.parse(await answer);
}

/** The error a promise rejects with, as it would be reported. */
export async function rejectionOf(promise: Promise<unknown>): Promise<ErrorReport> {
  return promise.then(
    () => {
      throw new Error('it was not refused');
    },
    (error: { code?: unknown; message: string; hint?: unknown }) =>
      // Feed errors arrive as reports; errors in this process are converted like everywhere.
      typeof error.hint === 'string'
        ? reportSchema.parse({ ...error, message: error.message })
        : reportOf(error),
  );
}

/** The page that a browser shows at an address; under `/api/` a program gets the same as JSON. */
export async function pageAt(url: string, headers: Record<string, string> = {}): Promise<ErrorReport> {
  const { body } = await fetchUrl(url, { headers });
  if (body.startsWith('{')) return reportSchema.parse(JSON.parse(body));
  const textOf = (pattern: RegExp) => pattern.exec(body)?.[1];
  const heading = textOf(/<h1>(.*?)<\/h1>/);
  const hint = textOf(/<p>(.*?)<\/p>/);
  const code = textOf(/<p class="code"><code>(.*?)<\/code>/);
  // A heading has no full stop.
  const message = `${heading}.`;
  return reportSchema.parse({ code, message, hint });
}
