/**
 * The preview area of another machine (N7): that machine checks the port, the proxy is this gateway's, and each of its
 * connections is a channel of the link. What the machine sends reaches only the frame's own origin.
 */
import { Duplex } from 'node:stream';
import type { LinkedMachine } from '@tugdeck/link/linked-machine';
import type { AreaChannel, AreaOutput } from '@tugdeck/machine/port';
import type { OpenPreview, PreviewAccess } from '@tugdeck/machine/preview-access';
import { preview, previewConnection } from '@tugdeck/protocol/areas/preview';
import { originOf, readLocalAddress } from '@tugdeck/protocol/preview/local-address';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import { z } from 'zod';

type Remote = Pick<LinkedMachine, 'openArea'>;

/** Bytes per message, and bytes that the server may not have taken yet. */
const PIECE = 64 * 1024;
const WINDOW = 512 * 1024;

const openSchema = preview.calls.open.input;
const endSchema = preview.calls.end.input;
const statePushSchema = z.object({ state: z.looseObject({ isOffered: z.boolean() }) });

export function openLinkedPreview(
  remote: Remote,
  about: Readonly<Record<string, unknown>>,
  out: AreaOutput,
  access: PreviewAccess,
): AreaChannel {
  const { project } = about;
  /** By port. */
  const opened = new Map<number, OpenPreview>();
  let isClosed = false;
  const end = (port: number) => {
    opened.get(port)?.end();
    opened.delete(port);
  };
  const endAll = () => {
    isClosed = true;
    for (const port of [...opened.keys()]) end(port);
  };
  const area = remote.openArea(preview.name, about, {
    push(message) {
      const { data } = statePushSchema.safeParse(message);
      out.push(data ? { state: { ...data.state, isOffered: access.isOffered() } } : message);
    },
    bytes: () => undefined,
  });
  void area.lost?.then(endAll);
  const open = async (ask: Readonly<Record<string, unknown>>) => {
    const { data: input } = openSchema.safeParse(ask);
    const address = input && readLocalAddress(input.address);
    const { signIn } = out;
    // The machine refuses other addresses, in its own words.
    const checked = preview.calls.check.output.parse(await area.call({ ...ask, type: 'check' }));
    if (checked.type === 'held') return checked;
    if (!input || !address) throw new CodedError('INVALID_MESSAGE');
    if (!access.isOffered() || signIn === undefined) {
      throw new CodedError(
        'EXPOSURE_REFUSED',
        'Preview works only in a browser on the machine with Tugdeck’s page.',
        'Open the address in a browser tab there instead.',
      );
    }
    if (isClosed) throw new CodedError('CHANNEL_NOT_OPEN');
    const { port, host, path } = address;
    end(port);
    const shown = access.open({
      signIn,
      name: `${project} ${host} ${port}`,
      origin: originOf(address),
      path,
      connect: () => connectThrough(remote, { project, ...input }),
      redirected: (to) => out.push({ type: 'redirected', port, address: to }),
    });
    opened.set(port, shown);
    return { type: 'open', url: shown.url, origin: shown.origin };
  };
  return {
    opened: area.opened,
    ...(area.lost ? { lost: area.lost } : {}),
    pause: () => area.pause(),
    resume: () => area.resume(),
    bytes: () => undefined,
    call(ask) {
      if (ask.type === 'open') return open(ask);
      const { data } = ask.type === 'end' ? endSchema.safeParse(ask) : {};
      if (!data) return area.call(ask);
      end(data.port);
      return Promise.resolve();
    },
    close() {
      endAll();
      area.close();
    },
  };
}

/** A connection to a web server of another machine. */
export async function connectThrough(
  remote: Remote,
  about: Readonly<Record<string, unknown>>,
): Promise<Duplex> {
  let unsent = 0;
  let proceed: () => void = () => undefined;
  const channel = remote.openArea(previewConnection.name, about, {
    push(message) {
      const { data: event } = previewConnection.events.safeParse(message);
      if (event?.type === 'ended') duplex.push(null);
      else if (event?.type === 'taken') {
        unsent = Math.max(0, unsent - event.bytes);
        if (unsent < WINDOW) proceed();
      } else duplex.destroy();
    },
    bytes(data) {
      if (!duplex.destroyed && !duplex.readableEnded && !duplex.push(Buffer.from(data))) channel.pause();
    },
  });
  const duplex = new Duplex({
    read: () => channel.resume(),
    write(chunk: Buffer, _encoding, done) {
      for (let at = 0; at < chunk.length; at += PIECE) channel.bytes(chunk.subarray(at, at + PIECE));
      unsent += chunk.length;
      proceed = () => {
        proceed = () => undefined;
        done();
      };
      if (unsent < WINDOW) proceed();
    },
    final(done) {
      channel.call({ type: 'end' }).then(
        () => done(),
        () => done(),
      );
    },
    destroy(error, done) {
      channel.close();
      done(error);
    },
  });
  void channel.lost?.then(() => duplex.destroy());
  try {
    await channel.opened;
    await channel.call({ type: 'connect' });
    return duplex;
  } catch (error) {
    duplex.destroy();
    throw error;
  }
}
