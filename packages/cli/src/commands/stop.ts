/** `tugdeck stop [--all]` (L2, L8): stops the server; with `--all` also every session, agent and terminal. */
import { setTimeout as wait } from 'node:timers/promises';
import { type FoundServer, findServer, requestServer } from '@tugdeck/gateway/control/control-client';
import { endKeeper } from '@tugdeck/gateway/port/end-keeper';
import { endElsewhere, isElsewhere } from '@tugdeck/local/end-elsewhere';
import { openLedger } from '@tugdeck/local/ledger';
import { isRunning, type ProcessIdentity } from '@tugdeck/local/process-identity';
import { type Timings, withTimings } from '@tugdeck/local/timings';
import { endHosts } from '@tugdeck/machine/hosts/end-hosts';
import { endTerminals } from '@tugdeck/machine/terminals/end-terminals';
import { describeRemaining, unconfirmedExit } from '../unconfirmed-exit.ts';
import type { Command, Context } from './context.ts';

/** Long, because a server waits for hosts that are starting. */
const STOP_MS = 15_000;

export const stop: Command = async (context) => {
  const { settings, print, note, line } = context;
  const timings = withTimings(settings.configuration.timings);
  const server = findServer(settings.data.ledger, timings);
  const fault = server && (await endServer(context, server, timings));
  if (fault === undefined) print(server ? 'Server stopped.' : 'No server is running.');
  else note(fault);
  // A local server that does not stop would restart what is ended here. One elsewhere has lost its lock.
  if (fault !== undefined && !(server && isElsewhere(server.record))) return 1;
  const code = line.flags.has('all') ? await endAll(context, timings) : 0;
  return fault === undefined ? code : 1;
};

/** Resolves with an error message if the server was not seen to stop. */
async function endServer(
  { settings }: Context,
  server: FoundServer,
  timings: Timings,
): Promise<string | undefined> {
  const { record, identity } = server;
  if (!isElsewhere(record)) {
    await requestServer(server, { type: 'stop' });
    return (await isGone(identity))
      ? undefined
      : `The server (pid ${identity.pid}) isn't responding to stop. End it with: kill ${identity.pid}`;
  }
  const isRequested = await requestServer(server, { type: 'stop' }).then(
    () => true,
    () => false,
  );
  const ledger = openLedger(settings.data.ledger, timings);
  const waits = { isRequested, withinMs: STOP_MS, leaseMs: timings.leaseMs };
  return (await endElsewhere(record, ledger, waits)) ? undefined : `Server: ${unconfirmedExit(record)}`;
}

async function endAll({ settings, print, note }: Context, timings: Timings): Promise<number> {
  const ledger = openLedger(settings.data.ledger, timings);
  // Terminals first: one may run an agent that still writes to its session.
  const ended = await endTerminals(ledger, timings);
  const { hosts, left: agentsLeft } = await endHosts(ledger, timings);
  const left = [...ended.left, ...agentsLeft, ...(await endKeeper(ledger, timings))];
  print(hosts === 1 ? 'Ended 1 session.' : `Ended ${hosts} sessions.`);
  if (ended.terminals > 0) {
    print(ended.terminals === 1 ? 'Closed 1 terminal.' : `Closed ${ended.terminals} terminals.`);
  }
  for (const sentence of describeRemaining(left)) note(sentence);
  return left.length === 0 ? 0 : 1;
}

async function isGone(identity: ProcessIdentity): Promise<boolean> {
  const deadline = performance.now() + STOP_MS;
  while (isRunning(identity)) {
    if (performance.now() > deadline) return false;
    await wait(20);
  }
  return true;
}
