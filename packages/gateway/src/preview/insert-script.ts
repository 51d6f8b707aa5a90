/** Inserts our script at the start of a streamed HTML document. Works on bytes: every encoding of HTML but UTF-16. */
import { Transform } from 'node:stream';

/** Beyond this, the document has no head. */
const MAX_SEARCHED = 64 * 1024;
/** Linear: no `<` in it, from which the search would begin again. */
const HEAD = /<head(?:\s[^<>]*)?>/i;
const DOCTYPE = /^<!doctype[^>]*>/i;
/** Bytes of the previous chunk that are searched again, because a tag may be cut in two. */
const OVERLAP = 512;

export function insertScript(tag: string): Transform {
  let before: Buffer | undefined = Buffer.alloc(0);
  const inserted = (bytes: Buffer) => {
    const text = bytes.toString('latin1');
    const found = HEAD.exec(text);
    const at = found ? found.index + found[0].length : startOf(text);
    return Buffer.concat([bytes.subarray(0, at), Buffer.from(tag), bytes.subarray(at)]);
  };
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      if (before === undefined) {
        done(null, chunk);
        return;
      }
      const from = Math.max(0, before.length - OVERLAP);
      before = Buffer.concat([before, chunk]);
      if (before.length < MAX_SEARCHED && !HEAD.test(before.toString('latin1', from))) {
        done();
        return;
      }
      const bytes = before;
      before = undefined;
      done(null, inserted(bytes));
    },
    flush(done) {
      done(null, before && inserted(before));
    },
  });
}

/** After the doctype, which comments and blanks may precede; otherwise the beginning. In one pass: the text is the app's. */
function startOf(text: string): number {
  let at = text.startsWith('\xef\xbb\xbf') ? 3 : 0;
  for (;;) {
    while (at < text.length && text.charCodeAt(at) <= 32) at++;
    if (!text.startsWith('<!--', at)) break;
    const end = text.indexOf('-->', at + 4);
    if (end < 0) return 0;
    at = end + 3;
  }
  const doctype = DOCTYPE.exec(text.slice(at, at + OVERLAP));
  return doctype ? at + doctype[0].length : 0;
}
