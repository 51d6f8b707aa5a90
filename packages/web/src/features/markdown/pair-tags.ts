/** Pairs opening and closing tags in a run of inline tokens. Pure. */
import type { Token } from 'marked';
import { allowedTagAt, VOID_TAGS } from './allowed-tags.ts';

/** Maps the index of each paired tag to its counterpart; a void tag maps to itself. */
export function pairTags(tokens: readonly Token[]): ReadonlyMap<number, number> {
  const pairs = new Map<number, number>();
  const open: { readonly name: string; readonly index: number }[] = [];
  tokens.forEach((token, index) => {
    const tag = token.type === 'html' ? allowedTagAt(token.raw) : undefined;
    if (!tag) return;
    if (VOID_TAGS.has(tag.name)) {
      if (!tag.isClosing) pairs.set(index, index);
    } else if (!tag.isClosing) open.push({ name: tag.name, index });
    else {
      const at = open.findLastIndex(({ name }) => name === tag.name);
      const opening = open[at];
      if (opening === undefined) return;
      pairs.set(opening.index, index).set(index, opening.index);
      open.length = at;
    }
  });
  return pairs;
}
