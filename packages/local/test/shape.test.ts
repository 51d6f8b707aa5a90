import { describe, expect, it } from 'vitest';
import { isKeeperAnswer, isKeeperConfig, isKeeperRequest } from '../src/keeper-link.ts';
import { isProcessIdentity } from '../src/process-identity.ts';
import { parseShape } from '../src/shape.ts';

const config = {
  dataDirectory: '/data',
  runtimeDirectory: '/run',
  host: 'localhost',
  isSecure: false,
  timings: { leaseMs: 1, leaseExpiryMs: 2 },
};
const answer = {
  type: 'held',
  host: 'localhost',
  port: 7_001,
  isSecure: false,
  instance: { id: 'id', key: 'key' },
};
const requests = [{ type: 'hello', secret: 's' }, { type: 'serve', socket: '/s' }, { type: 'end' }];
const identity = { pid: 7, started: '1', machine: 'm', boot: 'b' };

/** Each field once left out, and once of another type. */
function* broken(whole: object): Generator<object> {
  for (const [name, value] of Object.entries(whole)) {
    for (const other of [undefined, null, [], typeof value === 'string' ? 1 : 'text'])
      yield { ...whole, [name]: other };
  }
}

describe('messages of the port keeper', () => {
  it('X2 accepts complete messages and ignores unknown fields', () => {
    expect(isKeeperConfig(config)).toBe(true);
    expect(isKeeperConfig({ ...config, port: 0, logLevel: 'debug', other: 1 })).toBe(true);
    expect(isKeeperAnswer(answer)).toBe(true);
    for (const request of requests) expect(isKeeperRequest(request)).toBe(true);
    expect(isProcessIdentity(identity)).toBe(true);
  });

  it('X2 refuses messages with a field missing or of another type', () => {
    for (const value of broken(config)) expect(isKeeperConfig(value), JSON.stringify(value)).toBe(false);
    for (const value of broken(answer)) expect(isKeeperAnswer(value), JSON.stringify(value)).toBe(false);
    for (const value of requests.flatMap((request) => [...broken(request)]))
      expect(isKeeperRequest(value), JSON.stringify(value)).toBe(false);
    for (const value of broken({ pid: 7, started: '1' }))
      expect(isProcessIdentity(value), JSON.stringify(value)).toBe(false);
    for (const pid of [0, -1, 1.5]) expect(isProcessIdentity({ ...identity, pid })).toBe(false);
    expect(isProcessIdentity({ ...identity, boot: 'b'.repeat(256) })).toBe(false);
    for (const port of [-1, 65_536, 1.5]) expect(isKeeperConfig({ ...config, port })).toBe(false);
    expect(isKeeperConfig({ ...config, logLevel: 'loud' })).toBe(false);
  });

  it('X2 returns nothing for text that is not JSON', () => {
    expect(parseShape('{"type":"end"', isKeeperRequest)).toBeUndefined();
    expect(parseShape('null', isKeeperRequest)).toBeUndefined();
    expect(parseShape('{"type":"end"}\n', isKeeperRequest)).toEqual({ type: 'end' });
  });
});
