/** One message of a copy, before it is encrypted: where its bytes belong, a newline, and the bytes. */
import { z } from 'zod';

/** The longest piece; a server takes messages of 1 MB. */
export const PIECE_BYTES = 256 * 1024;

/**
 * `part`: a segment of the journal, or 0 for a blob. `last`: the blob ends here. `after`: the sequence of the subject's
 * message before it, so that a repeated message is recognized. `generation`: how often the copy was begun again.
 */
const placeSchema = z.object({
  after: z.number().int().min(0),
  generation: z.number().int().min(0),
  part: z.number().int().min(0).max(99_999_999),
  at: z.number().int().min(0),
  last: z.boolean().optional(),
});
export type Place = z.infer<typeof placeSchema>;

export interface Piece extends Place {
  readonly bytes: Buffer;
}

export function encodePiece({ bytes, ...place }: Piece): Buffer {
  return Buffer.concat([Buffer.from(`${JSON.stringify(place)}\n`), bytes]);
}

/** Throws if it is not one. */
export function decodePiece(contents: Buffer): Piece {
  const end = contents.indexOf('\n');
  if (end < 0 || end > 200) throw new Error('not a piece');
  return {
    ...placeSchema.parse(JSON.parse(contents.toString('utf8', 0, end))),
    bytes: contents.subarray(end + 1),
  };
}
