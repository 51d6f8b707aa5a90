/**
 * The configuration of a NATS server for one fleet: an operator, the fleet's account with one stream's worth of storage,
 * a system account through which a deck revokes machines, and TLS.
 */
import { accountToken, operatorToken, publicKey } from './nats-tokens.ts';

/** Seeds: with them, machines are admitted and revoked. */
export interface FleetSeeds {
  readonly operator: string;
  readonly account: string;
  readonly system: string;
}

export const SERVER_FILES = { configuration: 'nats.conf', certificate: 'server.pem', key: 'server.key' };

/** Of all copies of a fleet. */
const STORAGE = 100 * 1024 ** 3;

export function fleetAccount(seeds: FleetSeeds, revoked: Readonly<Record<string, number>> = {}): string {
  return accountToken(seeds.operator, {
    account: publicKey(seeds.account),
    name: 'fleet',
    limits: { storage: -1, streams: 1 },
    revoked,
  });
}

export function serverConfiguration(seeds: FleetSeeds, port: number): string {
  const system = publicKey(seeds.system);
  const systemAccount = accountToken(seeds.operator, {
    account: system,
    name: 'system',
    limits: { storage: 0, streams: 0 },
  });
  return `# A NATS server for a Tugdeck fleet, written by tugdeck fleet init. Copy this folder to the server and start it there:
#   nats-server -c ${SERVER_FILES.configuration}
# For three servers, give each its own server_name, add a cluster block (docs/fleet.md), and use --replicas 3.
server_name: tugdeck-1
port: ${port}

tls {
  cert_file: "${SERVER_FILES.certificate}"
  key_file: "${SERVER_FILES.key}"
}

jetstream {
  store_dir: "store"
  max_memory_store: 0
  max_file_store: ${STORAGE}
}

# The longest message of a copy is 256 KB and of a link 32 KB.
max_payload: 1MB

operator: ${operatorToken(seeds.operator, system)}
system_account: ${system}
resolver: {
  type: full
  dir: "accounts"
  allow_delete: false
  interval: "2m"
}
resolver_preload: {
  ${system}: ${systemAccount}
  ${publicKey(seeds.account)}: ${fleetAccount(seeds)}
}
`;
}
