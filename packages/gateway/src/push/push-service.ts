/**
 * Sends a message to a browser's push service. The address comes from a page, so it is called only over https and only
 * at a public address, which is checked again when the connection is made.
 */
import { lookup as resolve } from 'node:dns';
import { request as plainRequest } from 'node:http';
import { request as tlsRequest } from 'node:https';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { CodedError } from '@tugdeck/protocol/wire/errors';

export type PushResult =
  | { readonly result: 'sent' }
  /** The browser no longer wants messages. */
  | { readonly result: 'gone' }
  /** Not before `afterMs`. */
  | { readonly result: 'later'; readonly afterMs: number }
  | { readonly result: 'refused'; readonly why: string };

export interface PushMessage {
  readonly endpoint: string;
  readonly body: Buffer;
  readonly authorization: string;
  readonly isUrgent: boolean;
  /** Replaces an undelivered message of the same topic. */
  readonly topic: string;
}

const TIMEOUT_MS = 15_000;
/** How long the service keeps it for a browser that is off. */
const KEPT_S = 4 * 3600;
const LATER_MS = 60_000;
const MAX_LATER_MS = 3600_000;

const PRIVATE = new BlockList();
for (const [network, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 3],
] as const)
  PRIVATE.addSubnet(network, bits, 'ipv4');
/** Everything outside of the addresses in use. */
const PUBLIC_V6 = new BlockList();
PUBLIC_V6.addSubnet('2000::', 3, 'ipv6');
/** Ranges that contain IPv4 addresses. */
const MIXED_V6 = new BlockList();
MIXED_V6.addSubnet('2001::', 32, 'ipv6');
MIXED_V6.addSubnet('2002::', 16, 'ipv6');

export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 4) return !PRIVATE.check(address, 'ipv4');
  return isIP(address) === 6 && PUBLIC_V6.check(address, 'ipv6') && !MIXED_V6.check(address, 'ipv6');
}

/** Throws if messages may not be sent there. `isAnywhere`: for tests. */
export function checkEndpoint(endpoint: string, isAnywhere: boolean): void {
  const { protocol, hostname, username, password } = parsed(endpoint) ?? {};
  const isGood =
    isAnywhere ||
    (protocol === 'https:' &&
      username === '' &&
      password === '' &&
      hostname?.includes('.') === true &&
      isIP(hostname.replace(/^\[|\]$/g, '')) === 0);
  if (hostname === undefined || !isGood)
    throw new CodedError('INVALID_MESSAGE', 'This push service has no public https address.');
}

function parsed(address: string): URL | undefined {
  return URL.canParse(address) ? new URL(address) : undefined;
}

const publicLookup: LookupFunction = (hostname, options, done) => {
  resolve(hostname, { ...options, all: true }, (error, found) => {
    const addresses = found?.filter(({ address }) => isPublicAddress(address)) ?? [];
    const [first] = addresses;
    if (error || !first) done(error ?? new Error(`${hostname} has no public address`), '', 0);
    else if (options.all) done(null, addresses);
    else done(null, first.address, first.family);
  });
};

export function sendPush(message: PushMessage, isAnywhere: boolean): Promise<PushResult> {
  const { endpoint, body, authorization, isUrgent, topic } = message;
  const headers = {
    authorization,
    'content-encoding': 'aes128gcm',
    'content-type': 'application/octet-stream',
    'content-length': body.length,
    ttl: KEPT_S,
    urgency: isUrgent ? 'high' : 'normal',
    topic,
  };
  return new Promise((done) => {
    const fail = (why: string) => done({ result: 'refused', why });
    try {
      checkEndpoint(endpoint, isAnywhere);
      const isTls = endpoint.startsWith('https:');
      const request = (isTls ? tlsRequest : plainRequest)(endpoint, {
        ...{ method: 'POST', headers, agent: false, timeout: TIMEOUT_MS },
        ...(isAnywhere ? {} : { lookup: publicLookup }),
      });
      request.on('response', (response) => {
        // Nothing in it is needed, whatever its size.
        response.destroy();
        done(resultOf(response.statusCode ?? 0, response.headers['retry-after']));
      });
      request.on('timeout', () => request.destroy(new Error('no answer')));
      request.on('error', (error) => fail(error.message));
      request.end(body);
    } catch (error) {
      fail((error as Error).message);
    }
  });
}

function resultOf(status: number, retryAfter: string | undefined): PushResult {
  if (status >= 200 && status < 300) return { result: 'sent' };
  if (status === 404 || status === 410) return { result: 'gone' };
  if (status === 429 || status >= 500) {
    const wanted = Number(retryAfter) * 1000;
    const afterMs = wanted > 0 ? Math.min(wanted, MAX_LATER_MS) : LATER_MS;
    return { result: 'later', afterMs };
  }
  return { result: 'refused', why: `the push service answered ${status}` };
}
