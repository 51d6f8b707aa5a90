/** Checks the server of the fleet, if this is part of one (N36). Old or careless servers are warned about, not refused. */
import { join } from 'node:path';
import { readFleetKeys } from '@tugdeck/fleet/fleet-files';
import { judgeServer, readServerFacts, type ServerFacts } from '@tugdeck/fleet/server-check';
import type { DataDirectory } from '@tugdeck/local/data-directory';
import { openLog } from '@tugdeck/local/log';
import type { FleetSettings } from '@tugdeck/machine/configuration';
import type { Check } from './check.ts';

export async function checkFleetServer(
  data: DataDirectory,
  { role, server }: FleetSettings,
): Promise<Check[]> {
  const name = 'fleet';
  const keys = readFleetKeys(data);
  if (keys?.role !== role) {
    const fix = 'Run tugdeck fleet leave, then join again.';
    return [{ name, state: 'failed', detail: 'its keys are missing', fix }];
  }
  const log = openLog({ file: join(data.logs, 'fleet.log'), name: 'fleet', level: 'warn' });
  const facts = await readServerFacts(server, keys, log);
  if (typeof facts !== 'string') return describeFacts(facts, role);
  const fix = 'Start nats-server there, and check the address.';
  return [{ name, state: 'failed', detail: `${server} can't be reached: ${facts}`, fix }];
}

export function describeFacts(facts: ServerFacts, role: FleetSettings['role']): Check[] {
  // Only the deck can ask the server when it writes to the disk.
  const warnings = judgeServer(facts).filter(({ about }) => role === 'deck' || about !== 'disk');
  if (warnings.length === 0)
    return [{ name: 'fleet', state: 'ok', detail: `connected to nats-server ${facts.version}` }];
  return warnings.map(({ text, fix }) => ({ name: 'fleet', state: 'warning', detail: text, fix }));
}
