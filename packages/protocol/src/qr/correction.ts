/** Reed-Solomon correction bytes over GF(2^8), as QR codes use them. Pure. */

/** The correction bytes of a block of data. */
export function correctionOf(data: Uint8Array, length: number): Uint8Array {
  const divisor = divisorOf(length);
  const rest = new Uint8Array(length);
  for (const byte of data) {
    const factor = byte ^ (rest[0] ?? 0);
    rest.copyWithin(0, 1);
    rest[length - 1] = 0;
    for (const [at, term] of divisor.entries()) rest[at] = (rest[at] ?? 0) ^ multiply(term, factor);
  }
  return rest;
}

/** The product of `x - 2^i`, without its first term. */
function divisorOf(length: number): Uint8Array {
  const terms = new Uint8Array(length);
  terms[length - 1] = 1;
  let root = 1;
  for (let count = 0; count < length; count++) {
    for (let at = 0; at < length; at++) terms[at] = multiply(terms[at] ?? 0, root) ^ (terms[at + 1] ?? 0);
    root = multiply(root, 2);
  }
  return terms;
}

export function multiply(a: number, b: number): number {
  let product = 0;
  for (let bit = 7; bit >= 0; bit--) {
    product = (product << 1) ^ ((product >> 7) * 0x11d);
    product ^= ((b >> bit) & 1) * a;
  }
  return product;
}
