/** `tugdeck url` (L2, N54): prints a new sign-in link of the running server, or pairs a device. */

import { findServer, requestServer } from '@tugdeck/gateway/control/control-client';
import { isLoopback } from '@tugdeck/gateway/transport/origin';
import { qrCode } from '@tugdeck/protocol/qr/qr-code';
import { qrText } from '@tugdeck/protocol/qr/qr-text';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import type { Command } from './context.ts';

export const url: Command = async ({ line, settings, print, note }) => {
  const server = findServer(settings.data.ledger, settings.configuration.timings);
  if (!server) {
    note('No server is running. Start it with: tugdeck');
    return 1;
  }
  const { flags, values } = line;
  const isLimited = flags.has('limited');
  const isPairing = flags.has('qr') || isLimited || values.device !== undefined;
  const device = isPairing ? { device: { name: values.device ?? '', isLimited } } : {};
  const answer = await requestServer(server, { type: 'url', ...device });
  if (answer.type !== 'url') throw new CodedError('INTERNAL_ERROR');
  if (isPairing && answer.pairing?.isLimited !== isLimited) {
    note('The running server is older and can’t pair devices. Restart it with: tugdeck stop, then tugdeck');
    return 1;
  }
  print(answer.url);
  if (!answer.pairing) return 0;
  const { code, origin } = answer.pairing;
  const drawn = flags.has('qr') ? qrCode(answer.url) : undefined;
  if (drawn) print(qrText(drawn, { isPlain: !process.stdout.isTTY }));
  if (code !== undefined) note(`Or open ${origin}/sign-in and enter ${code}`);
  if (isLoopback(new URL(origin).hostname))
    note('Only this machine can open this link. To reach it from a phone, see docs/phone.md');
  return 0;
};
