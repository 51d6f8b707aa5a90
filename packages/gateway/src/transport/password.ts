/**
 * The user's password (X1), stored as an scrypt hash in a private file. Verified one at a time, in constant time. The
 * file is read for every check, so that a new password applies at once.
 */
import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';
import { existsSync, rmSync } from 'node:fs';
import { readOwnFile } from '@tugdeck/local/ownership';
import { writePrivate } from '@tugdeck/local/private-file';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import { z } from 'zod';

export const MIN_PASSWORD = 12;
export const MAX_PASSWORD = 1024;

/** 32 MiB and about 0.1 s: unnoticeable for a user, expensive for guessing. */
const COST = { N: 2 ** 15, r: 8, p: 1 };
const BYTES = 32;

const storedSchema = z.object({
  kind: z.literal('scrypt'),
  N: z
    .number()
    .int()
    .min(1024)
    .max(2 ** 20),
  r: z.number().int().min(1).max(32),
  p: z.number().int().min(1).max(16),
  salt: z.base64(),
  hash: z.base64(),
});

export function hasPassword(file: string): boolean {
  return existsSync(file);
}

export async function savePassword(file: string, password: string): Promise<void> {
  const salt = randomBytes(16);
  const hash = await derive(password, salt, COST);
  const stored = { kind: 'scrypt', ...COST, salt: salt.toString('base64'), hash: hash.toString('base64') };
  writePrivate(file, `${JSON.stringify(stored)}\n`);
}

export function removePassword(file: string): void {
  rmSync(file, { force: true });
}

export async function verifyPassword(file: string, typed: string): Promise<boolean> {
  const { salt, hash, ...cost } = read(file);
  const expected = Buffer.from(hash, 'base64');
  const given = await derive(typed, Buffer.from(salt, 'base64'), cost);
  const isRight = expected.length === given.length && timingSafeEqual(expected, given);
  // The password may have been replaced during the check, which signed everyone out: the old one must not work after
  // that.
  return isRight && read(file).hash === hash;
}

function read(file: string): z.infer<typeof storedSchema> {
  try {
    return storedSchema.parse(JSON.parse(readOwnFile(file) ?? ''));
  } catch (error) {
    if (error instanceof CodedError && error.code === 'DATA_UNSAFE') throw error;
    throw new CodedError(
      'DATA_UNREADABLE',
      `Can't read ${file}.`,
      'Set the password again: tugdeck password',
    );
  }
}

function derive(password: string, salt: Buffer, { N, r, p }: ScryptOptions): Promise<Buffer> {
  // Different Unicode forms of the same text are the same password.
  const text = password.normalize('NFKC');
  const cost: ScryptOptions = { ...(N && { N }), ...(r && { r }), ...(p && { p }), maxmem: 2 ** 30 };
  return new Promise((resolve, reject) => {
    scrypt(text, salt, BYTES, cost, (error, key) => (error ? reject(error) : resolve(key)));
  });
}
