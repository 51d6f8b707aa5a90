/**
 * Whether an address may be served at all (X1). This machine's own needs nothing; any other needs a password that
 * the user set, and TLS or their word that they do without. Decides before a port is opened; called by the server.
 */
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { createSecureContext } from 'node:tls';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import type { Configuration } from '../configuration.ts';
import { isLoopback } from './origin.ts';

export interface Tls {
  readonly cert: Buffer;
  readonly key: Buffer;
}

export interface Exposure {
  /** What is listened on. */
  readonly host: string;
  /** What browsers write in front of the port. */
  readonly name: string;
  readonly isLoopback: boolean;
  readonly tls: Tls | undefined;
}

export const DEFAULT_HOST = '127.0.0.1';
/** Every address of the machine: no browser can be sent to one of these. */
const WILDCARDS: ReadonlySet<string> = new Set(['0.0.0.0', '::']);
const NAME = /^(?=.{1,253}$)[a-z0-9](?:[a-z0-9-]{0,62})(?:\.[a-z0-9][a-z0-9-]{0,62})*$/;

type ExposureSettings = Pick<Configuration, 'host' | 'name' | 'tlsCert' | 'tlsKey' | 'plainHttp'>;

export function exposureOf(settings: ExposureSettings, hasPassword: boolean): Exposure {
  const host = settings.host ?? DEFAULT_HOST;
  const tls = readTls(settings);
  if (isLoopback(host)) {
    if (settings.name !== undefined && settings.name !== host) {
      throw refused(
        `--name ${settings.name} goes with an address that others can reach.`,
        'Give one with --host too.',
      );
    }
    return { host, name: host, isLoopback: true, tls };
  }
  const name = (settings.name ?? host).toLowerCase();
  if (WILDCARDS.has(name)) {
    throw refused(
      `--host ${host} is every address of this machine, and no browser can be sent there.`,
      'Say with --name by which name or address browsers reach it.',
    );
  }
  if (isIP(name) === 0 && !NAME.test(name)) throw refused(`${name} is no name of a machine.`);
  if (!hasPassword) {
    throw refused(`Others can reach ${host}, and no password is set.`, 'Set one with: tugdeck password');
  }
  if (!tls && settings.plainHttp !== true) {
    throw refused(
      `Others can reach ${host}, and without TLS everything can be read and changed on its way, the password too.`,
      'Give --tls-cert and --tls-key, or accept this with --plain-http.',
    );
  }
  return { host, name, isLoopback: false, tls };
}

function readTls({ tlsCert, tlsKey }: ExposureSettings): Tls | undefined {
  if (tlsCert === undefined && tlsKey === undefined) return undefined;
  if (tlsCert === undefined || tlsKey === undefined) throw refused('--tls-cert and --tls-key go together.');
  try {
    const tls = { cert: readFileSync(tlsCert), key: readFileSync(tlsKey) };
    // Says now what would otherwise be said to the first browser only.
    createSecureContext(tls);
    return tls;
  } catch (error) {
    throw refused(
      `The certificate or its key cannot be used: ${(error as Error).message}`,
      'Both are files in PEM form.',
    );
  }
}

function refused(message: string, hint?: string): CodedError {
  return new CodedError('EXPOSURE_REFUSED', message, hint);
}
