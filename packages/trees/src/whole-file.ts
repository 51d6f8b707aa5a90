/** A new file as a patch that adds it. Pure. */
import { createHash } from 'node:crypto';
import type { FilePatch } from './patch.ts';

/** Like git: a NUL among the first bytes means binary. */
const LOOKED_AT = 8_000;

export function wholeFilePatch(content: Uint8Array): FilePatch {
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  const added = { state: 'added', isSubmodule: false } as const;
  if (bytes.subarray(0, LOOKED_AT).includes(0)) return { ...added, isBinary: true, hunks: [] };
  if (bytes.length === 0) return { ...added, isBinary: false, hunks: [] };
  const text = bytes.toString('latin1');
  const isEnded = text.endsWith('\n');
  const own = (isEnded ? text.slice(0, -1) : text).split('\n').map((line) => `+${line}`);
  const lines = isEnded ? own : [...own, '\\ No newline at end of file'];
  const id = createHash('sha256').update(lines.join('\n'), 'latin1').digest('hex').slice(0, 16);
  const hunk = { oldStart: 0, oldLines: 0, newStart: 1, newLines: own.length, lines };
  return { ...added, isBinary: false, hunks: [{ id: `${id}-0`, ...hunk }] };
}
