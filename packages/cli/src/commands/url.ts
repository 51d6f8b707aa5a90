/** `tugdeck url` (L2): prints a new sign-in link of the running server. */

import { findServer, requestServer } from '@tugdeck/gateway/control/control-client';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import type { Command } from './context.ts';

export const url: Command = async ({ settings, print, note }) => {
  const server = findServer(settings.data.ledger, settings.configuration.timings);
  if (!server) {
    note('No server is running. Start it with: tugdeck');
    return 1;
  }
  const answer = await requestServer(server, { type: 'url' });
  if (answer.type !== 'url') throw new CodedError('INTERNAL_ERROR');
  print(answer.url);
  return 0;
};
