/** `tugdeck stop [--all]` (L2, L8): ends the server, and with `--all` every session and agent, and looks twice. */
import { setTimeout as wait } from 'node:timers/promises';
import { openLedger } from '@tugdeck/local/ledger';
import { isRunning, type ProcessIdentity } from '@tugdeck/local/process-identity';
import { withTimings } from '@tugdeck/local/timings';
import { askServer, findServer } from '@tugdeck/server/control/control-client';
import { endHosts } from '@tugdeck/server/hosts/end-hosts';
import type { Command, Context } from './context.ts';

/** A server waits for hosts that are just starting. */
const STOP_MS = 15_000;

export const stop: Command = async (context) => {
  const { settings, print, note, line } = context;
  const server = findServer(settings.data.ledger);
  if (server) {
    await askServer(server, { type: 'stop' });
    if (!(await isGone(server.identity))) {
      note(`The server (process ${server.identity.pid}) does not end.`);
      return 1;
    }
    print('The server has stopped.');
  } else {
    print('No server is running.');
  }
  return line.flags.has('all') ? endAll(context) : 0;
};

async function endAll({ settings, print, note }: Context): Promise<number> {
  const ledger = openLedger(settings.data.ledger);
  const { hosts, left } = await endHosts(ledger, withTimings(settings.configuration.timings));
  print(hosts === 1 ? '1 session was ended.' : `${hosts} sessions were ended.`);
  if (left.length === 0) return 0;
  note(`Still running: ${left.map(({ pid }) => pid).join(', ')}`);
  return 1;
}

async function isGone(identity: ProcessIdentity): Promise<boolean> {
  const deadline = performance.now() + STOP_MS;
  while (isRunning(identity)) {
    if (performance.now() > deadline) return false;
    await wait(20);
  }
  return true;
}
