/**
 * Decides whether the configured address may be served (X1). Loopback needs nothing; any other address needs a
 * password, and TLS or explicit consent to go without. Runs before a port is opened.
 */
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { createSecureContext } from 'node:tls';
import type { Configuration } from '@tugdeck/machine/configuration';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import { isLoopback, type OriginRule, originRule } from './origin.ts';

export interface Tls {
  readonly cert: Buffer;
  readonly key: Buffer;
}

export interface Exposure {
  /** The address to listen on. */
  readonly host: string;
  /** The host name in the browser's address bar. */
  readonly name: string;
  readonly isLoopback: boolean;
  readonly tls: Tls | undefined;
  /** A second origin: that of a proxy on this machine, which terminates TLS. */
  readonly proxied: OriginRule | undefined;
}

export const DEFAULT_HOST = '127.0.0.1';
/** All addresses of the machine; not usable in a URL. */
const WILDCARDS: ReadonlySet<string> = new Set(['0.0.0.0', '::']);
const NAME = /^(?=.{1,253}$)[a-z0-9](?:[a-z0-9-]{0,62})(?:\.[a-z0-9][a-z0-9-]{0,62})*$/;

type ExposureSettings = Pick<Configuration, 'host' | 'name' | 'tlsCert' | 'tlsKey' | 'plainHttp' | 'origin'>;

export function exposureOf(settings: ExposureSettings, hasPassword: boolean): Exposure {
  const host = settings.host ?? DEFAULT_HOST;
  const tls = readTls(settings);
  if (isLoopback(host)) {
    if (settings.name !== undefined && settings.name !== host) {
      throw refused(
        `--name ${settings.name} needs an address that other machines can reach.`,
        'Set one with --host.',
      );
    }
    return { host, name: host, isLoopback: true, tls, proxied: proxiedOrigin(settings.origin, hasPassword) };
  }
  if (settings.origin !== undefined) {
    throw refused(
      `--origin is for a proxy on this machine, but --host ${host} is reachable without it.`,
      'Remove --host, or use --name and --tls-cert instead of a proxy.',
    );
  }
  const name = (settings.name ?? host).toLowerCase();
  if (WILDCARDS.has(name)) {
    throw refused(
      `--host ${host} listens on every address, so browsers need a name to open.`,
      'Set the name or address that browsers use with --name.',
    );
  }
  if (isIP(name) === 0 && !NAME.test(name)) throw refused(`${name} is not a valid host name.`);
  if (!hasPassword) {
    throw refused(
      `Other machines can reach ${host}, but no password is set.`,
      'Set one with: tugdeck password',
    );
  }
  if (!tls && settings.plainHttp !== true) {
    throw refused(
      `Other machines can reach ${host}, and without TLS all traffic, including the password, can be read and modified.`,
      'Set --tls-cert and --tls-key, or accept this with --plain-http.',
    );
  }
  return { host, name, isLoopback: false, tls, proxied: undefined };
}

function proxiedOrigin(origin: string | undefined, hasPassword: boolean): OriginRule | undefined {
  if (origin === undefined) return undefined;
  const { name, port } = /^https:\/\/(?<name>[^/:]+)(?::(?<port>\d{1,5}))?\/?$/i.exec(origin)?.groups ?? {};
  const isNumber = Number(port ?? 443) > 0 && Number(port ?? 443) < 65_536;
  if (name === undefined || !NAME.test(name.toLowerCase()) || /^[\d.]+$/.test(name) || !isNumber) {
    throw refused(
      `${origin} is not an origin that a proxy can serve.`,
      'Write it as https://NAME or https://NAME:PORT.',
    );
  }
  if (!hasPassword) {
    throw refused(
      `Other machines can reach ${origin}, but no password is set.`,
      'Set one with: tugdeck password',
    );
  }
  return originRule(name.toLowerCase(), Number(port ?? 443), true);
}

function readTls({ tlsCert, tlsKey }: ExposureSettings): Tls | undefined {
  if (tlsCert === undefined && tlsKey === undefined) return undefined;
  if (tlsCert === undefined || tlsKey === undefined)
    throw refused('--tls-cert and --tls-key must be used together.');
  try {
    const tls = { cert: readFileSync(tlsCert), key: readFileSync(tlsKey) };
    // Fails now instead of at the first browser.
    createSecureContext(tls);
    return tls;
  } catch (error) {
    throw refused(
      `Can't use the TLS certificate or key: ${(error as Error).message}`,
      'Both must be PEM files.',
    );
  }
}

function refused(message: string, hint?: string): CodedError {
  return new CodedError('EXPOSURE_REFUSED', message, hint);
}
