/** `tugdeck status [--json]` (L2). Exit code 1 if no server is running. */

import { findServer, requestServer } from '@tugdeck/gateway/control/control-client';
import type { ServerStatus } from '@tugdeck/gateway/control/messages';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import type { Command } from './context.ts';

export const status: Command = async ({ settings, line, print }) => {
  const asJson = line.flags.has('json');
  const server = findServer(settings.data.ledger, settings.configuration.timings);
  if (!server) {
    print(asJson ? JSON.stringify({ running: false }) : 'No server is running.');
    return 1;
  }
  const answer = await requestServer(server, { type: 'status' });
  if (answer.type !== 'status') throw new CodedError('INTERNAL_ERROR');
  print(asJson ? JSON.stringify({ running: true, ...answer.status }) : describe(answer.status));
  return 0;
};

function describe(status: ServerStatus): string {
  const { origin, pid, startedAt, build, dataDirectory, pages, projects, sessions, hosts } = status;
  return [
    `Running at ${origin} (process ${pid}, build ${build}) since ${new Date(startedAt).toLocaleString()}`,
    `Data in ${dataDirectory}`,
    `${count(pages, 'page')} open, ${count(projects.length, 'project')}, ${count(sessions, 'session')}`,
    ...hosts.map(({ title, pid: host, turn }) => `  ${turn.padEnd(10)} ${title} (process ${host})`),
  ].join('\n');
}

function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`;
}
