/**
 * Self-signed X.509 certificates with Ed25519 keys. Each end of a link knows the other's fingerprint, so a
 * certificate carries only the key; `hosts` adds the names that clients of a NATS server check.
 */
import { createHash, createPublicKey, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { isIP } from 'node:net';

export interface Certificate {
  /** Both in PEM. */
  readonly certificate: string;
  readonly key: string;
}

/** From a fixed date, because the clocks of two machines differ; without an end (RFC 5280, 4.1.2.5). */
const VALID_FROM = '20240101000000Z';
const VALID_UNTIL = '99991231235959Z';
const SUBJECT_ALT_NAME = [0x55, 0x1d, 0x11];

export function createCertificate(hosts: readonly string[] = []): Certificate {
  const { privateKey } = generateKeyPairSync('ed25519');
  const algorithm = sequence(der(0x06, Buffer.from([0x2b, 0x65, 0x70])));
  const commonName = sequence(der(0x06, Buffer.from([0x55, 0x04, 0x03])), der(0x0c, Buffer.from('tugdeck')));
  const name = sequence(der(0x31, commonName));
  const contents = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    // A positive number.
    der(0x02, Buffer.concat([Buffer.from([1]), randomBytes(15)])),
    algorithm,
    name,
    sequence(der(0x18, Buffer.from(VALID_FROM)), der(0x18, Buffer.from(VALID_UNTIL))),
    name,
    createPublicKey(privateKey).export({ type: 'spki', format: 'der' }),
    ...(hosts.length === 0 ? [] : [der(0xa3, sequence(alternativeNames(hosts)))]),
  );
  const signature = der(0x03, Buffer.concat([Buffer.from([0]), sign(null, contents, privateKey)]));
  return {
    certificate: pemOf(sequence(contents, algorithm, signature)),
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

/** SHA-256 of the whole certificate, in hexadecimal. */
export function fingerprintOf(certificate: Buffer | string): string {
  const bytes = typeof certificate === 'string' ? bytesOf(certificate) : certificate;
  return createHash('sha256').update(bytes).digest('hex');
}

export function pemOf(bytes: Buffer): string {
  const lines = bytes.toString('base64').match(/.{1,64}/g) ?? [];
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
}

export function bytesOf(pem: string): Buffer {
  return Buffer.from(pem.replace(/-----[A-Z ]+-----|\s/g, ''), 'base64');
}

function alternativeNames(hosts: readonly string[]): Buffer {
  const names = hosts.map((host) => {
    const version = isIP(host);
    return version === 0 ? der(0x82, Buffer.from(host)) : der(0x87, addressBytes(host, version));
  });
  return sequence(der(0x06, Buffer.from(SUBJECT_ALT_NAME)), der(0x04, sequence(...names)));
}

function addressBytes(address: string, version: number): Buffer {
  if (version === 4) return Buffer.from(address.split('.').map(Number));
  const [head = '', tail] = address.split('::');
  const groups = (text: string | undefined) => (text ? text.split(':') : []);
  const [first, last] = [groups(head), groups(tail)];
  const zeros = tail === undefined ? 0 : 8 - first.length - last.length;
  const all = [...first, ...Array.from({ length: zeros }, () => '0'), ...last];
  return Buffer.from(all.map((group) => group.padStart(4, '0')).join(''), 'hex');
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return der(0x30, Buffer.concat(parts));
}

function der(tag: number, contents: Buffer): Buffer {
  const { length } = contents;
  const size =
    length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), contents]);
}
