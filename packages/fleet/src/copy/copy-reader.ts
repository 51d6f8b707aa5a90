/**
 * Reads a copy back into the files of a journal. Messages are untrusted: one that was not written with the machine's key,
 * for this session, after the message before it, is ignored.
 */
import { appendFile, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { segmentName } from '@tugdeck/journal/format';
import type { SessionDirectory } from '@tugdeck/local/data-directory';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import { type Engine, EngineError } from '../engine.ts';
import { SUBJECTS } from '../subjects.ts';
import { decrypt, machineCopyKey, sessionCopyKey } from './copy-cipher.ts';
import { decodePiece, type Piece } from './piece.ts';
import { lastSequence, nextMessage, type StoredMessage } from './stream.ts';

export interface CopySource {
  readonly engine: Engine;
  /** The fleet's key. */
  readonly key: Buffer;
  readonly member: string;
}

const MAX_JOURNAL = 1024 * 1024 * 1024;
const MAX_BLOB = 64 * 1024 * 1024;
/** A replica that answers may be behind the leader. */
const PATIENCE = 20;
const PATIENCE_MS = 100;

/** Writes the segments. Returns how many bytes; undefined if it was never copied. */
export async function readJournal(
  source: CopySource,
  session: string,
  { journal }: Pick<SessionDirectory, 'journal'>,
): Promise<number | undefined> {
  let part = 0;
  let at = 0;
  let total: number | undefined;
  for await (const piece of piecesOf(source, session, SUBJECTS.journal(source.member, session))) {
    // The machine began the copy again while it was read.
    if (total === undefined || piece.isAgain) {
      total = 0;
      await rm(journal, { recursive: true, force: true });
      await mkdir(journal, { recursive: true, mode: 0o700 });
    } else if (piece.at !== (piece.part === part ? at : 0) || piece.part > part + 1) throw damaged();
    total += piece.bytes.length;
    if (total > MAX_JOURNAL) throw damaged();
    await appendFile(join(journal, segmentName(piece.part)), piece.bytes, { mode: 0o600 });
    part = piece.part;
    at = piece.at + piece.bytes.length;
  }
  return total;
}

/** The contents of a blob; undefined if it is not copied completely. */
export async function readCopiedBlob(
  source: CopySource,
  session: string,
  hash: string,
): Promise<Buffer | undefined> {
  const parts: Buffer[] = [];
  let at = 0;
  for await (const piece of piecesOf(source, session, SUBJECTS.blob(source.member, session, hash))) {
    if (piece.isAgain) {
      parts.length = 0;
      at = 0;
    }
    if (piece.at !== at || at > MAX_BLOB) throw damaged();
    parts.push(piece.bytes);
    at += piece.bytes.length;
    if (piece.last) return Buffer.concat(parts);
  }
  return undefined;
}

/** The pieces that follow each other, from the beginning. `isAgain`: the copy begins again with this one. */
async function* piecesOf(
  { engine, key, member }: CopySource,
  session: string,
  subject: string,
): AsyncGenerator<Piece & { readonly isAgain: boolean }> {
  const sessionKey = sessionCopyKey(machineCopyKey(key, member), session);
  let previous: { readonly sequence: number; readonly generation: number } | undefined;
  for await (const { sequence, data } of messagesOf(engine, subject)) {
    const piece = opened(sessionKey, subject, data);
    if (!piece) continue;
    const { after, generation, at } = piece;
    const isAgain = at === 0 && previous !== undefined && generation > previous.generation;
    const isNext = previous ? after === previous.sequence && generation === previous.generation : at === 0;
    if (!isNext && !isAgain) continue;
    previous = { sequence, generation };
    yield { ...piece, isAgain };
  }
}

async function* messagesOf(engine: Engine, subject: string): AsyncGenerator<StoredMessage> {
  try {
    const end = (await lastSequence(engine, subject)) ?? 0;
    let missing = 0;
    for (let sequence = 1; sequence <= end; ) {
      const message = await nextMessage(engine, subject, sequence);
      if (!message) {
        if (++missing > PATIENCE) throw damaged();
        await new Promise((resolve) => setTimeout(resolve, PATIENCE_MS));
        continue;
      }
      sequence = message.sequence + 1;
      yield message;
    }
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    throw new CodedError('HOST_UNAVAILABLE', `The fleet's server does not answer: ${error.message}.`);
  }
}

/** Undefined for a message that somebody else wrote, and for the empty one of a deletion. */
function opened(key: Buffer, subject: string, data: Buffer): Piece | undefined {
  try {
    return decodePiece(decrypt(key, subject, data));
  } catch {
    return undefined;
  }
}

function damaged(): CodedError {
  return new CodedError(
    'HOST_UNAVAILABLE',
    'The copy of this session is damaged.',
    'It is written again when its machine is back.',
  );
}
