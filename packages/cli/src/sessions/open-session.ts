/**
 * The session's host for `talk` and `send` (L5, L6): through the server if one runs, otherwise started directly. Also
 * ends such hosts and updates the session list.
 */

import { findServer, requestServer } from '@tugdeck/gateway/control/control-client';
import { readTail } from '@tugdeck/journal/reader';
import { endElsewhere, endingMs, isElsewhere } from '@tugdeck/local/end-elsewhere';
import { openLedger } from '@tugdeck/local/ledger';
import { endTree } from '@tugdeck/local/process-ending';
import { spawnHost } from '@tugdeck/local/spawn-host';
import { withTimings } from '@tugdeck/local/timings';
import { cleanEnvironment } from '@tugdeck/machine/clean-environment';
import { connectHost, type HostAddress } from '@tugdeck/machine/hosts/host-connection';
import { addressOf } from '@tugdeck/machine/hosts/live-host';
import { summarize } from '@tugdeck/protocol/conversation/summarize';
import type { SessionBegin } from '@tugdeck/protocol/wire/deck';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import { HOST_LINK_VERSION } from '@tugdeck/protocol/wire/version';
import type { Context } from '../commands/context.ts';
import { installedPrograms } from '../install.ts';
import { unconfirmedExit } from '../unconfirmed-exit.ts';
import { withStore } from './store-services.ts';

export interface SessionTarget {
  /** Chosen by us, so that repeating the request creates only one session. */
  readonly session: string;
  /** Set for a new session. */
  readonly directory?: string | undefined;
  /** With `directory`: the agent session that it resumes. */
  readonly from?: SessionBegin | undefined;
  /** With `directory`: the workspace that it works in, by name or id. Needs a server. */
  readonly workspace?: string | undefined;
  /** Creates the session as a fork. */
  readonly fork?: { readonly of: string; readonly at?: string | undefined } | undefined;
}

export interface SessionAddress {
  readonly address: HostAddress;
  /** We started it, and no server knows about it. */
  readonly isUnmanaged: boolean;
  /** No further agent may run now (D41). */
  readonly isFull?: boolean | undefined;
}

/** The server may have to end an idle host first, then wait for the new one. */
const SERVER_MS = 30_000;

export async function openSession(context: Context, target: SessionTarget): Promise<SessionAddress> {
  const { settings, environment } = context;
  const { session, directory, from, workspace, fork } = target;
  const { agent } = settings.configuration;
  const server = findServer(settings.data.ledger, settings.configuration.timings);
  if (!server && workspace !== undefined) {
    throw new CodedError('HOST_UNAVAILABLE', 'No server is running.', 'Start one with: tugdeck --no-open');
  }
  if (!server) return startLocally(context, target);
  const create = directory !== undefined && {
    directory,
    environment: cleanEnvironment(environment),
    ...(agent === undefined ? {} : { agent }),
    ...(from ? { from } : {}),
    ...(workspace === undefined ? {} : { workspace }),
  };
  const trust = context.line.flags.has('trust');
  const how = { ...(create ? { create } : {}), ...(fork ? { fork } : {}), ...(trust ? { trust } : {}) };
  const answer = await requestServer(server, { type: 'open', session, ...how }, SERVER_MS);
  if (answer.type !== 'session') throw new CodedError('INTERNAL_ERROR');
  const { socket, secret, version, leftOut, isFull } = answer;
  noteSkippedConfig(context, leftOut);
  return { address: { socket, secret, version }, isUnmanaged: false, isFull };
}

async function startLocally(
  context: Context,
  { session, directory, from, fork }: SessionTarget,
): Promise<SessionAddress> {
  const { data, configuration } = context.settings;
  const timings = withTimings(configuration.timings);
  const ledger = openLedger(data.ledger, timings);
  const record = ledger.get(`host-${session}`);
  const running = record && ledger.isAlive(record) ? addressOf(record) : undefined;
  if (running) return { address: running, isUnmanaged: false };
  const isTrusted = context.line.flags.has('trust');
  const config = await withStore(context, async ({ projects, sessions, agents }) => {
    const known = directory === undefined ? sessions.find(fork?.of ?? session)?.project : undefined;
    if (isTrusted && known !== undefined) projects.decideTrust(known, 'yes');
    if (directory !== undefined) {
      const environment = cleanEnvironment(context.environment);
      const project = await projects.open(directory, environment);
      if (isTrusted) projects.decideTrust(project.id, 'yes');
      const { workspace } = project;
      sessions.create(session, project.id, agents.defaultIn(environment), {
        from,
        byProgram: true,
        workspace,
      });
    } else if (fork) sessions.fork(session, fork.of, fork.at);
    noteSkippedConfig(context, sessions.skippedConfig(session));
    return sessions.launch(session);
  });
  const program = installedPrograms().host;
  const name = `host-${session}`;
  const started = await spawnHost({ program, logs: data.logs, name, config, timeoutMs: timings.hostStartMs });
  return { address: { ...started, version: HOST_LINK_VERSION }, isUnmanaged: true };
}

/** Warns that the agent starts without the project's configuration, because its answers may differ. */
function noteSkippedConfig({ note }: Context, leftOut: string | undefined): void {
  if (leftOut === undefined) return;
  note(`This project is not trusted, so the agent starts without its ${leftOut}. Use --trust to allow them.`);
}

/** Asks the host to shut down with its agent, and makes sure that it does. */
export async function endSession(context: Context, session: string): Promise<void> {
  const { data, configuration } = context.settings;
  const timings = withTimings(configuration.timings);
  const ledger = openLedger(data.ledger, timings);
  const record = ledger.get(`host-${session}`);
  const address = record && ledger.isAlive(record) ? addressOf(record) : undefined;
  if (!record || !address) return;
  const ignore = () => undefined;
  let farewellMs = 0;
  try {
    const events = { received: ignore, unreadable: ignore, closed: ignore };
    const host = await connectHost(address, events, timings.terminateMs);
    host.send({ type: 'end' });
    // It needs time to shut down its agent.
    farewellMs = endingMs(timings);
  } catch (error) {
    context.note(`tugdeck: ${(error as Error).message}`);
  }
  if (isElsewhere(record)) {
    const waits = { isRequested: farewellMs > 0, withinMs: endingMs(timings), leaseMs: timings.leaseMs };
    if (!(await endElsewhere(record, ledger, waits))) context.note(`tugdeck: ${unconfirmedExit(record)}`);
    return;
  }
  await endTree(record, { farewellMs, terminateMs: timings.terminateMs });
  const agent = ledger.get(`agent-${session}`);
  if (agent) await endTree(agent, { farewellMs: 0, terminateMs: timings.terminateMs });
}

/** Without a server nobody receives host summaries: update the session's row from its journal. */
export async function updateSessionRow(context: Context, session: string): Promise<void> {
  if (findServer(context.settings.data.ledger, context.settings.configuration.timings)) return;
  const state = readTail(context.settings.data.session(session));
  if (state) await withStore(context, ({ sessions }) => sessions.recordSummary(session, summarize(state)));
}
