/** What `doctor` reports about a fleet's server (N36). It warns and refuses nothing. */
import { setTimeout as wait } from 'node:timers/promises';
import type { Log } from '@tugdeck/local/log';
import { z } from 'zod';
import { Engine, EngineError } from './engine.ts';
import type { DeckKeys, MachineKeys } from './fleet-files.ts';
import { publicKey, userToken } from './nats-tokens.ts';
import { DECK, deckPermissions, inboxOf } from './subjects.ts';

export interface ServerFacts {
  readonly version: string;
  readonly isSecure: boolean;
  /** Whether a message is on the disk before it is acknowledged; undefined if the server does not report it. */
  readonly syncsFirst?: boolean | undefined;
}

export interface ServerWarning {
  readonly about: 'version' | 'TLS' | 'disk';
  readonly text: string;
  readonly fix: string;
}

/** The oldest releases of each line without known ways around accounts. */
const OLDEST: Readonly<Record<number, number>> = { 11: 15, 12: 6 };

export function judgeServer({ version, isSecure, syncsFirst }: ServerFacts): ServerWarning[] {
  return [
    ...(isOld(version)
      ? [
          {
            about: 'version' as const,
            text: `nats-server ${version} has known security problems`,
            fix: 'Update to 2.11.15, 2.12.6 or newer.',
          },
        ]
      : []),
    ...(isSecure
      ? []
      : [
          {
            about: 'TLS' as const,
            text: 'the server does not require TLS',
            fix: 'Add the tls block of tugdeck fleet init.',
          },
        ]),
    ...(syncsFirst
      ? []
      : [
          {
            about: 'disk' as const,
            text: 'the server acknowledges messages before they are on the disk; a power failure can lose the last ones until their machines copy them again',
            fix: 'Set sync_interval: always in its jetstream block (2.10 or newer).',
          },
        ]),
  ];
}

function isOld(version: string): boolean {
  const [major = 0, minor = 0, patch = 0] = version.split(/[.-]/).map(Number);
  if (major !== 2) return major < 2;
  return minor < 11 || patch < (OLDEST[minor] ?? 0);
}

const varzSchema = z.object({
  data: z.object({ jetstream: z.object({ config: z.object({ sync_always: z.boolean().optional() }) }) }),
});

const CONNECT_MS = 5_000;
const FACTS_MS = 2_000;

/** Asks the server; a string is why it can't be reached. Only a deck may ask about the disk. */
export async function readServerFacts(
  server: string,
  keys: DeckKeys | MachineKeys,
  log: Log,
): Promise<ServerFacts | string> {
  const access = { server, authority: keys.authority, log };
  const isDeck = keys.role === 'deck';
  const token = isDeck
    ? userToken(keys.seeds.account, {
        user: publicKey(keys.user),
        name: DECK,
        permissions: deckPermissions(),
      })
    : keys.token;
  const name = isDeck ? DECK : keys.id;
  const engine = new Engine({ ...access, name, token, seed: keys.user, inbox: inboxOf(name) });
  try {
    await engine.whenConnected(CONNECT_MS);
    const info = engine.server;
    if (!info) return engine.fault ?? 'no answer';
    return isDeck ? { ...info, syncsFirst: await syncsFirst(access, keys) } : info;
  } finally {
    await engine.close();
  }
}

async function syncsFirst(
  access: { readonly server: string; readonly authority?: string | undefined; readonly log: Log },
  { seeds, systemUser }: DeckKeys,
): Promise<boolean> {
  const permissions = { publish: ['$SYS.REQ.SERVER.PING.VARZ'], subscribe: [`${inboxOf(DECK)}.>`] };
  const token = userToken(seeds.system, { user: publicKey(systemUser), name: DECK, permissions });
  const engine = new Engine({ ...access, token, seed: systemUser, inbox: inboxOf(DECK), name: DECK });
  try {
    await engine.whenConnected(CONNECT_MS);
    const asked = engine.request('$SYS.REQ.SERVER.PING.VARZ', '').catch((error: unknown) => {
      if (error instanceof EngineError) return undefined;
      throw error;
    });
    const reply = await Promise.race([asked, wait(FACTS_MS, undefined, { ref: false })]);
    if (!reply) return false;
    const { data } = varzSchema.safeParse(JSON.parse(reply.data.toString()));
    return data?.data.jetstream.config.sync_always === true;
  } finally {
    await engine.close();
  }
}
