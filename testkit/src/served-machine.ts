/** A machine with many sessions, served on a socket: `command` is its link. Nothing runs in its sessions. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serveLink } from '@tugdeck/link/serve-link';
import { FakeMachine, quietLog } from './fake-machine.ts';

interface ServedMachine {
  readonly command: string[];
  /** Ends its links, and answers no more. */
  close(): void;
}

/** What `tugdeck bridge` does: bytes between stdio and a socket. */
export const BRIDGE = `const socket = require('node:net').connect(process.argv[1]);
process.stdin.pipe(socket); socket.pipe(process.stdout); socket.on('close', () => process.exit());`;

export async function servedMachine(rows: number): Promise<ServedMachine> {
  const machine = Object.assign(new FakeMachine(), { id: randomUUID() });
  const project = { id: randomUUID(), path: '/project', name: 'Project', addedAt: 1, machine: machine.id };
  const now = Date.now();
  const sessions = Array.from({ length: rows }, (_, at) => ({
    ...{ id: randomUUID(), project: project.id, agent: 'claude', title: `Session ${at} of a machine` },
    ...{ createdAt: now - at * 60_000, activeAt: now - at * 60_000, archived: false, live: false },
  }));
  machine.openDeck = (send) => {
    send({ type: 'whole', deck: { projects: [project], agents: [], defaultAgent: '', sessions } });
    const ignore = () => undefined;
    return { opened: Promise.resolve(), close: ignore, pause: ignore, resume: ignore };
  };
  const folder = mkdtempSync(join(tmpdir(), 'tugdeck-machines-'));
  const path = join(folder, 's');
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    void serveLink(socket, socket, { machine, build: 'test', environment: {}, log: quietLog });
  }).listen(path);
  await once(server, 'listening');
  return {
    command: [process.execPath, '-e', BRIDGE, '--', path],
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
