/**
 * The files of a deck or a machine about its fleet, in `fleet/` of the data directory: keys, and codes that were not used
 * yet. Everything that is not secret is in `config.json` (N20).
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import { mkdirSync, readdirSync, rmSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { DataDirectory } from '@tugdeck/local/data-directory';
import { readOwnFile } from '@tugdeck/local/ownership';
import { writePrivate } from '@tugdeck/local/private-file';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import { z } from 'zod';

const certificateSchema = z.strictObject({ certificate: z.string(), key: z.string() });

const deckKeysSchema = z.strictObject({
  role: z.literal('deck'),
  /** Of the server's operator and accounts. */
  seeds: z.strictObject({ operator: z.string(), account: z.string(), system: z.string() }),
  user: z.string(),
  systemUser: z.string(),
  tls: certificateSchema,
  /** The certificate that the server must present, in PEM; absent for one of a public authority. */
  authority: z.string().optional(),
  /** Every machine's key for its copies is derived from it. */
  copyKey: z.base64(),
});
export type DeckKeys = z.infer<typeof deckKeysSchema>;

const machineKeysSchema = z.strictObject({
  role: z.literal('machine'),
  id: z.string(),
  /** Its name in the deck. */
  name: z.string(),
  user: z.string(),
  token: z.string(),
  tls: certificateSchema,
  /** Fingerprint of the deck's certificate. */
  deck: z.string(),
  authority: z.string().optional(),
  copyKey: z.base64(),
});
export type MachineKeys = z.infer<typeof machineKeysSchema>;

const codeSchema = z.strictObject({ name: z.string(), secret: z.string(), until: z.number() });

type Data = Pick<DataDirectory, 'root'>;

const folderOf = ({ root }: Data) => join(root, 'fleet');
const keysFile = (data: Data) => join(folderOf(data), 'keys.json');
const codesFolder = (data: Data) => join(folderOf(data), 'codes');

export function readFleetKeys(data: Data): DeckKeys | MachineKeys | undefined {
  const text = readOwnFile(keysFile(data));
  if (text === undefined) return undefined;
  try {
    return z.discriminatedUnion('role', [deckKeysSchema, machineKeysSchema]).parse(JSON.parse(text));
  } catch {
    throw new CodedError(
      'DATA_UNREADABLE',
      `${keysFile(data)} is damaged.`,
      'Leave the fleet, and join again.',
    );
  }
}

export function deckKeys(data: Data): DeckKeys {
  const keys = readFleetKeys(data);
  if (keys?.role === 'deck') return keys;
  throw new CodedError('DATA_UNREADABLE', 'This is not the deck of a fleet.', 'Run tugdeck fleet init.');
}

export function machineKeys(data: Data): MachineKeys {
  const keys = readFleetKeys(data);
  if (keys?.role === 'machine') return keys;
  throw new CodedError(
    'DATA_UNREADABLE',
    'This is not a machine of a fleet.',
    'Run tugdeck machine join CODE.',
  );
}

export function writeFleetKeys(data: Data, keys: DeckKeys | MachineKeys): void {
  mkdirSync(folderOf(data), { recursive: true, mode: 0o700 });
  writePrivate(keysFile(data), `${JSON.stringify(keys, null, 2)}\n`);
}

export function forgetFleet(data: Data): void {
  rmSync(folderOf(data), { recursive: true, force: true });
}

/** Lists what was copied, for deletions: one file per session. */
export function copiedFolder(data: Data): string {
  return join(folderOf(data), 'copied');
}

const hashOf = (secret: string) => createHash('sha256').update(secret).digest();

/** Only a hash is stored. */
export function storeCode(
  data: Data,
  code: string,
  { secret, name, until }: { readonly secret: string; readonly name: string; readonly until: number },
): void {
  mkdirSync(codesFolder(data), { recursive: true, mode: 0o700 });
  const stored = { name, secret: hashOf(secret).toString('hex'), until };
  writePrivate(join(codesFolder(data), code), JSON.stringify(stored));
}

const CODE_ID = /^[0-9a-f]{16}$/;

/** Uses up a code and returns the machine's name; undefined if it is wrong, used or too old. */
export function takeCode(data: Data, code: string, secret: string, now: number): string | undefined {
  if (!CODE_ID.test(code)) return undefined;
  const file = join(codesFolder(data), code);
  const stored = readCode(file);
  if (!stored || stored.until < now) return undefined;
  if (!timingSafeEqual(Buffer.from(stored.secret, 'hex'), hashOf(secret))) return undefined;
  try {
    unlinkSync(file); // Only one caller succeeds.
  } catch {
    return undefined;
  }
  return stored.name;
}

export function removeOldCodes(data: Data, now: number): void {
  let names: string[] = [];
  try {
    names = readdirSync(codesFolder(data));
  } catch {
    return; // None so far.
  }
  for (const name of names) {
    const stored = readCode(join(codesFolder(data), name));
    if (!stored || stored.until < now) rmSync(join(codesFolder(data), name), { force: true });
  }
}

function readCode(file: string): z.infer<typeof codeSchema> | undefined {
  try {
    return codeSchema.safeParse(JSON.parse(readOwnFile(file) ?? '')).data;
  } catch {
    return undefined;
  }
}
