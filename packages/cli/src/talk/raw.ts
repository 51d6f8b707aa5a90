/**
 * `tugdeck talk --raw` (L5): plain HostLink on stdin and stdout. We answer `protocol_init` ourselves, so that the
 * secret stays here; everything else is forwarded unchanged.
 */

import { randomUUID } from 'node:crypto';
import { withTimings } from '@tugdeck/local/timings';
import { connectHost, type HostConnection } from '@tugdeck/machine/hosts/host-connection';
import { parseJson } from '@tugdeck/protocol/parse-json';
import type { ErrorCode } from '@tugdeck/protocol/wire/error-codes';
import { CodedError, reportOf } from '@tugdeck/protocol/wire/errors';
import { type HostMessage, type HostRequest, hostRequestSchema } from '@tugdeck/protocol/wire/host-link';
import { HOST_LINK_OLDEST, HOST_LINK_VERSION } from '@tugdeck/protocol/wire/version';
import type { Context } from '../commands/context.ts';
import { endSession, openSession, updateSessionRow } from '../sessions/open-session.ts';
import { jsonLines } from './json-lines.ts';

export async function talkRaw(
  context: Context,
  { existing, directory }: { existing: string | undefined; directory: string },
): Promise<number> {
  const session = existing ?? randomUUID();
  let link: HostConnection | undefined;
  let finish: (code: number) => void = () => undefined;
  const finished = new Promise<number>((done) => {
    finish = done;
  });
  let isEndRequested = false;
  const earlyLines: string[] = [];
  const lines = jsonLines({
    line: (text) => (link ? handleLine(link, text) : void earlyLines.push(text)),
    overlong: () => refuse('PAYLOAD_TOO_LARGE'),
    full: () => link?.pause(),
    drained: () => link?.resume(),
    gone: () => finish(0),
  });
  const write = (message: HostMessage) => lines.write(message);
  const refuse = (code: ErrorCode, message?: string) =>
    write({ type: 'error', ...reportOf(new CodedError(code, message)) });

  function handleLine(host: HostConnection, text: string): void {
    const request = parseRequest(text);
    if (!request) refuse('INVALID_MESSAGE');
    else if (request.type !== 'protocol_init') {
      if (request.type === 'end') isEndRequested = true;
      host.send(request);
    } else if (request.version < HOST_LINK_OLDEST || request.version > HOST_LINK_VERSION) {
      refuse('HOST_VERSION');
      finish(1);
    } else write({ type: 'protocol_ack', version: HOST_LINK_VERSION, session });
  }

  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => finish(0));
  try {
    const { address } = await openSession(
      context,
      existing === undefined ? { session, directory } : { session },
    );
    const events = {
      received: (batch: readonly HostMessage[]) => {
        for (const message of batch) write(message);
      },
      unreadable: (problem: string) => context.note(`tugdeck: invalid message from the host: ${problem}`),
      closed: () => finish(isEndRequested ? 0 : 1),
    };
    const host = await connectHost(
      address,
      events,
      withTimings(context.settings.configuration.timings).hostStartMs,
    );
    link = host;
    for (const text of earlyLines.splice(0)) handleLine(host, text);
  } catch (error) {
    write({ type: 'error', ...reportOf(error) });
    finish(1);
  }
  void lines.ended.then(() => finish(0));
  const code = await finished;
  link?.close();
  if (!context.line.flags.has('keep')) await endSession(context, session);
  await updateSessionRow(context, session);
  process.stdin.destroy();
  return code;
}

function parseRequest(text: string): HostRequest | undefined {
  try {
    return hostRequestSchema.safeParse(parseJson(text)).data;
  } catch {
    return undefined; // Not JSON; refused as an invalid request.
  }
}
