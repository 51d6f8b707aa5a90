/** `tugdeck stop [--all]` (L2, L8): ends the server, and with `--all` every session, agent and terminal, and looks twice. */
import { setTimeout as wait } from 'node:timers/promises';
import { openLedger } from '@tugdeck/local/ledger';
import { isRunning, type ProcessIdentity } from '@tugdeck/local/process-identity';
import { withTimings } from '@tugdeck/local/timings';
import { askServer, findServer } from '@tugdeck/server/control/control-client';
import { endHosts } from '@tugdeck/server/hosts/end-hosts';
import { endKeeper } from '@tugdeck/server/port/end-keeper';
import { endTerminals } from '@tugdeck/server/terminals/end-terminals';
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
  const timings = withTimings(settings.configuration.timings);
  // Terminals first: one may hold an agent's session, and none of them may see its sessions go.
  const ended = await endTerminals(ledger, timings);
  const { hosts, left: agentsLeft } = await endHosts(ledger, timings);
  print(hosts === 1 ? '1 session was ended.' : `${hosts} sessions were ended.`);
  if (ended.terminals > 0) {
    print(ended.terminals === 1 ? '1 terminal was closed.' : `${ended.terminals} terminals were closed.`);
  }
  const left = [...ended.left, ...agentsLeft, ...(await endKeeper(ledger, timings))];
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
