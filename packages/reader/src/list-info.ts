/**
 * List information of a session file from its first and last kilobytes: enough for a row, without reading the whole
 * file (A40).
 */

import { readRange, withFile } from '@tugdeck/drivers/kit/file-lines';
import type { HistorySource, ListInfo } from '@tugdeck/drivers/kit/history';

const HEAD = 64 * 1024;
const TAIL = 32 * 1024;

export function quickInfo(source: HistorySource, path: string, size: number): ListInfo {
  return withFile(path, (descriptor) => {
    const head = source.scan();
    for (const { text } of readRange(descriptor, 0, Math.min(size, HEAD))) {
      head.take(text);
      const { prompt, directory } = head.facts;
      if (size > HEAD && prompt !== undefined && directory !== undefined) break;
    }
    if (size <= HEAD) return head.facts;
    const tail = source.scan();
    for (const { text } of readRange(descriptor, Math.max(0, size - TAIL), size)) tail.take(text);
    return mergeInfo(head.facts, tail.facts);
  });
}

/** Keeps information from the beginning; later lines may change the title and the time. */
export function mergeInfo(first: ListInfo, later: ListInfo): ListInfo {
  const title = later.title ?? first.title;
  const activeAt = later.activeAt ?? first.activeAt;
  return {
    ...first,
    ...(first.directory === undefined && later.directory !== undefined ? { directory: later.directory } : {}),
    ...(title === undefined ? {} : { title }),
    ...(activeAt === undefined ? {} : { activeAt }),
  };
}
