/**
 * Connects the preview proxy of another machine's deck to a web server here (N7), after the same checks as a preview of
 * this machine. One area is one connection.
 */
import type { Duplex } from 'node:stream';
import { previewConnection } from '@tugdeck/protocol/areas/preview';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import { type ServedArea, serveArea } from '../areas/serve-area.ts';
import type { PreviewAccess } from '../preview-access.ts';
import { CheckedPorts, connectLocal, mayShow, type PreviewOptions } from './checked-ports.ts';

export function servePreviewConnections(
  options: PreviewOptions,
  access: Pick<PreviewAccess, 'ownPorts'>,
): ServedArea {
  return serveArea(previewConnection, ({ project, address: text, accepted }, out) => {
    options.projects.place(project);
    const ports = new CheckedPorts(options, access, project);
    let socket: Duplex | undefined;
    let isPaused = false;
    let isClosed = false;
    const connect = async () => {
      const address = ports.read(text);
      const { listener, holder } = await ports.find(address);
      if (!mayShow(holder, accepted)) {
        throw new CodedError('NOT_CONFIRMED', `Another process now holds port ${address.port}.`);
      }
      const connected = await connectLocal(listener);
      if (isClosed || socket) {
        connected.destroy();
        throw new CodedError('CHANNEL_NOT_OPEN');
      }
      socket = connected;
      connected.on('data', (data: Buffer) => out.bytes(data));
      connected.on('end', () => out.emit({ type: 'ended' }));
      connected.on('error', () => connected.destroy());
      connected.on('close', () => out.emit({ type: 'broken' }));
      if (isPaused) connected.pause();
    };
    return {
      calls: { connect, end: () => void socket?.end() },
      bytes(data) {
        if (data.length > 0) socket?.write(data, () => out.emit({ type: 'taken', bytes: data.length }));
      },
      pause() {
        isPaused = true;
        socket?.pause();
      },
      resume() {
        isPaused = false;
        socket?.resume();
      },
      close() {
        isClosed = true;
        socket?.destroy();
      },
    };
  });
}
