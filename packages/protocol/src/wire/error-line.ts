import { reportOf } from './errors.ts';
import type { HostMessage } from './host-link.ts';

/** A HostLink error, optionally about one command. */
export function errorLine(error: unknown, command?: string): string {
  const message: HostMessage = {
    type: 'error',
    ...reportOf(error),
    ...(command === undefined ? {} : { command }),
  };
  return JSON.stringify(message);
}
