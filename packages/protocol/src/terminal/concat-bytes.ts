/** Concatenates pieces; a single piece is not copied. */
export function concatBytes(pieces: readonly Uint8Array[], bytes: number): Uint8Array {
  const [only] = pieces;
  if (pieces.length === 1 && only) return only;
  const all = new Uint8Array(bytes);
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
}
