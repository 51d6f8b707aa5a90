/** The log of links (N25): what was added, reached, lost, refused and removed, on both ends. */
import { join } from 'node:path';
import type { DataDirectory } from '@tugdeck/local/data-directory';
import { type Log, openLog } from '@tugdeck/local/log';

export function auditFile({ logs }: Pick<DataDirectory, 'logs'>): string {
  return join(logs, 'machines.log');
}

/** Independent of the log level. */
export function openAudit(data: Pick<DataDirectory, 'logs'>): Log {
  return openLog({ file: auditFile(data), name: 'machines', level: 'info' });
}
