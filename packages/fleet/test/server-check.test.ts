import { createServer } from 'node:net';
import { quietLog } from '@tugdeck/testkit/fake-machine';
import { expect, test } from 'vitest';
import { createCertificate } from '../src/certificates.ts';
import { createSeed } from '../src/nats-tokens.ts';
import { judgeServer, readServerFacts } from '../src/server-check.ts';

const about = (facts: Parameters<typeof judgeServer>[0]) =>
  judgeServer(facts).map((warning) => warning.about);

test('N36 warns about old servers, without TLS, or that write to the disk too late', () => {
  const good = { version: '2.12.6', isSecure: true, syncsFirst: true };
  expect(about(good)).toEqual([]);
  for (const version of ['2.11.15', '2.11.20', '2.12.7', '2.13.0', '2.14.1-beta', '3.0.0'])
    expect(about({ ...good, version })).toEqual([]);
  for (const version of ['2.9.10', '2.10.29', '2.11.14', '2.12.5', '1.4.1'])
    expect(about({ ...good, version })).toEqual(['version']);
  expect(about({ ...good, isSecure: false })).toEqual(['TLS']);
  expect(about({ ...good, syncsFirst: false })).toEqual(['disk']);
});

test('N36 reads the facts from the INFO of a server, here a fake one', async () => {
  const info = {
    server_id: 'X',
    version: '2.12.6',
    proto: 1,
    headers: true,
    max_payload: 1_048_576,
    nonce: 'abc',
  };
  const server = createServer((socket) => {
    socket.write(`INFO ${JSON.stringify(info)}\r\n`);
    socket.on('data', (data) => data.includes('PING') && socket.write('PONG\r\n'));
    socket.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  const keys = {
    ...{ role: 'machine' as const, id: 'a', name: 'a', user: createSeed('user'), token: 'x.y.z' },
    ...{ tls: createCertificate(), deck: '', copyKey: '' },
  };
  try {
    const facts = await readServerFacts(`nats://127.0.0.1:${port}`, keys, quietLog);
    expect(facts).toEqual({ version: '2.12.6', isSecure: false });
  } finally {
    server.close();
  }
  expect(await readServerFacts(`nats://127.0.0.1:${port}`, keys, quietLog)).toContain('refused');
});
