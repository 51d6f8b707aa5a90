/**
 * The first line in each direction, before HTTP/2. The machine writes its greeting as soon as it is reached; what
 * comes before it is a login banner (N5). The deck answers with the version that both use (N14).
 */
import type { Duplex } from 'node:stream';
import { visibleText } from '@tugdeck/protocol/visible-text';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import { z } from 'zod';
import { LINK_LIMITS } from './link-limits.ts';

/** NUL bytes: no banner contains this. */
const GREETING = Buffer.from('\0tugdeck-link\0');
const ANSWER = 'tugdeck-link ';

export interface LinkVersions {
  readonly newest: number;
  readonly oldest: number;
}

const greetingSchema = z.object({
  newest: z.number().int().min(1).max(1_000_000),
  oldest: z.number().int().min(1).max(1_000_000),
  machine: z.uuid(),
  build: z.string().max(100),
});
export type Greeting = z.infer<typeof greetingSchema>;

export interface Greeted extends Greeting {
  /** The version that both ends use. */
  readonly version: number;
  /** Text before the greeting. */
  readonly banner: string;
}

export function sendGreeting(stream: Duplex, greeting: Greeting): void {
  stream.write(Buffer.concat([GREETING, Buffer.from(`${JSON.stringify(greeting)}\n`)]));
}

/** Reads the machine's greeting and answers it. */
export async function readGreeting(stream: Duplex, versions: LinkVersions): Promise<Greeted> {
  let before: Buffer = Buffer.alloc(0);
  const line = await readUntil(stream, (bytes) => {
    const start = bytes.indexOf(GREETING);
    before = start < 0 ? bytes : bytes.subarray(0, start);
    if (before.length > LINK_LIMITS.banner)
      throw unreachable('it sent more than 64 KB of other text', before);
    if (start < 0) return undefined;
    const end = bytes.indexOf('\n', start + GREETING.length);
    if (end >= 0) return { from: start + GREETING.length, end };
    if (bytes.length - start > LINK_LIMITS.greeting) throw unreachable('its greeting is too long', before);
    return undefined;
  }).catch((error: unknown) => {
    throw error instanceof CodedError ? error : unreachable('the connection closed', before);
  });
  const greeting = parseGreeting(line);
  if (!greeting) throw unreachable('its greeting could not be parsed', before);
  const version = Math.min(greeting.newest, versions.newest);
  if (version < versions.oldest || version < greeting.oldest) {
    const isOlder = greeting.newest < versions.oldest;
    throw new CodedError(
      'HOST_VERSION',
      `Tugdeck on that machine is too ${isOlder ? 'old' : 'new'} for this one.`,
      isOlder ? 'Update Tugdeck there.' : 'Update Tugdeck here.',
    );
  }
  stream.write(`${ANSWER}${version}\n`);
  return { ...greeting, version, banner: bannerText(before) };
}

/** Reads the deck's answer; returns the version. */
export async function readAnswer(stream: Duplex, versions: LinkVersions): Promise<number> {
  const line = await readUntil(stream, (bytes) => {
    const end = bytes.indexOf('\n');
    if (end < 0 && bytes.length > LINK_LIMITS.greeting) throw new CodedError('INVALID_MESSAGE');
    return end < 0 ? undefined : { from: 0, end };
  });
  const version = Number(new RegExp(`^${ANSWER}([1-9]\\d{0,5})$`).exec(line)?.[1]);
  if (!(version >= versions.oldest && version <= versions.newest)) throw new CodedError('HOST_VERSION');
  return version;
}

function parseGreeting(line: string): Greeting | undefined {
  try {
    return greetingSchema.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
}

/** Reads until `find` returns the line's place; bytes after the line stay in the stream. */
function readUntil(
  stream: Duplex,
  find: (bytes: Buffer) => { readonly from: number; readonly end: number } | undefined,
): Promise<string> {
  return new Promise((resolve, reject) => {
    let bytes: Buffer = Buffer.alloc(0);
    const settle = (run: () => void) => {
      stream.off('readable', read).off('end', ended).off('close', ended).off('error', failed);
      run();
    };
    const read = () => {
      for (let chunk = stream.read() as Buffer | null; chunk !== null; chunk = stream.read()) {
        bytes = Buffer.concat([bytes, chunk]);
        try {
          const found = find(bytes);
          if (!found) continue;
          const { from, end } = found;
          const rest = bytes.subarray(end + 1);
          settle(() => {
            if (rest.length > 0) stream.unshift(rest);
            resolve(bytes.toString('utf8', from, end));
          });
        } catch (error) {
          settle(() => reject(error));
        }
        return;
      }
    };
    const ended = () => settle(() => reject(new Error('closed')));
    const failed = (error: Error) => settle(() => reject(error));
    stream.on('readable', read).on('end', ended).on('close', ended).on('error', failed);
    read();
  });
}

function unreachable(why: string, before: Buffer): CodedError {
  const banner = bannerText(before);
  return new CodedError(
    'HOST_UNAVAILABLE',
    `No answer from Tugdeck on that machine: ${why}.${banner === '' ? '' : ` It printed: ${banner}`}`,
    'Check that Tugdeck is installed there and that the command works in a terminal.',
  );
}

/** The end of the text before the greeting, without control characters. */
export function bannerText(bytes: Buffer): string {
  return visibleText(
    bytes
      .toString('utf8')
      // biome-ignore lint/suspicious/noControlCharactersInRegex: terminal sequences are removed
      .replace(/\u001b\[[0-?]*[ -/]*[@-~]|[\u0000-\u0008\u000b-\u001f\u007f]/g, '')
      .trim()
      .slice(-2_000),
  );
}
