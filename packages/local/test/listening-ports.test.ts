import { realpathSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { isStillListening, listenerOn, parseLsof, parseSockets } from '../src/listening-ports.ts';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

async function listen(host: string, port = 0): Promise<number> {
  const server = createServer();
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(port, host, resolve));
  return (server.address() as { port: number }).port;
}

describe('W70 the process that listens on a port', () => {
  test('W70 is found with its directory, and not after it ended', async () => {
    const port = await listen('127.0.0.1');
    const found = await listenerOn('localhost', port);
    expect(found).toMatchObject({
      port,
      address: '127.0.0.1',
      process: { pid: process.pid, directory: realpathSync(process.cwd()) },
    });
    if (!found) throw new Error('not found');
    expect(await isStillListening(found)).toBe(true);
    expect(await listenerOn('[::1]', port)).toBeUndefined();
    await new Promise((resolve) => servers.pop()?.close(resolve));
    expect(await isStillListening(found)).toBe(false);
    await listen('127.0.0.1', port);
    // Another socket at the same port.
    expect(await isStillListening(found)).toBe(false);
  });

  test('W70 reads the tables of Linux', () => {
    const line = (local: string, state: string, inode: string) =>
      `   0: ${local} 00000000:0000 ${state} 00000000:00000000 00:00000000 00000000  1000        0 ${inode} 1 0 100`;
    const text = [
      '  sl  local_address rem_address   st',
      line('0100007F:1435', '0A', '11'),
      line('00000000:0050', '0A', '12'),
      line('0100007F:1436', '01', '13'),
      line('0201A8C0:1437', '0A', '14'),
      line('00000000000000000000000001000000:1438', '0A', '15'),
      line('00000000000000000000000000000000:1439', '0A', '16'),
    ].join('\n');
    expect(parseSockets(text)).toEqual([
      { port: 0x1435, address: '127.0.0.1', inode: '11' },
      { port: 80, address: '127.0.0.1', inode: '12' },
      { port: 0x1438, address: '::1', inode: '15' },
      { port: 0x1439, address: '127.0.0.1', inode: '16' },
      { port: 0x1439, address: '::1', inode: '16' },
    ]);
  });

  test('W70 reads the output of lsof', () => {
    const text =
      'p12\ncnode\nf20\nn127.0.0.1:5173\nf21\nn[::1]:5173\np13\ncruby\nf3\nn*:3000\nf4\nn192.168.0.2:80\n';
    expect(parseLsof(text)).toEqual([
      { pid: 12, name: 'node', port: 5173, address: '127.0.0.1' },
      { pid: 12, name: 'node', port: 5173, address: '::1' },
      { pid: 13, name: 'ruby', port: 3000, address: '127.0.0.1' },
      { pid: 13, name: 'ruby', port: 3000, address: '::1' },
    ]);
  });
});
