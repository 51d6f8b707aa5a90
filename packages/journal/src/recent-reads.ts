/** Remembers what was read last, for a task that reads the same segments again and again. Does not see later changes. */
import type { SegmentFiles } from './files.ts';

/** `budget`: bytes to keep. */
export function recentReads(files: SegmentFiles, budget: number): SegmentFiles {
  const lists = new Map<string, string[]>();
  const sizes = new Map<string, number | undefined>();
  const reads = new Map<string, Buffer>();
  let held = 0;
  return {
    list: (directory) => remembered(lists, directory, () => files.list(directory)),
    size: (file) => remembered(sizes, file, () => files.size(file)),
    read(file, start, length) {
      const key = `${start} ${length} ${file}`;
      const before = reads.get(key);
      const bytes = before ?? files.read(file, start, length);
      if (before === undefined) held += bytes.length;
      // The first key of a map is the oldest.
      reads.delete(key);
      reads.set(key, bytes);
      for (const [oldest, { length: size }] of reads) {
        if (held <= budget) break;
        reads.delete(oldest);
        held -= size;
      }
      return bytes;
    },
  };
}

function remembered<Value>(known: Map<string, Value>, key: string, read: () => Value): Value {
  const before = known.get(key);
  if (before !== undefined || known.has(key)) return before as Value;
  const value = read();
  known.set(key, value);
  return value;
}
