/**
 * Highlights matches in the rendered text with the CSS Custom Highlight API, without changing nodes. Updated when
 * rows are added or removed. Other browsers show only the entry's outline.
 */
const NAME = 'found';
const MAX_RANGES = 2_000;

export function highlightMatches(root: HTMLElement, query: string): () => void {
  if (query === '' || !('highlights' in CSS)) return () => undefined;
  const wanted = query.toLowerCase();
  let frame = 0;
  const mark = () => {
    frame = 0;
    CSS.highlights.set(NAME, new Highlight(...rangesOf(root, wanted)));
  };
  const soon = () => {
    frame ||= requestAnimationFrame(mark);
  };
  const changes = new MutationObserver(soon);
  changes.observe(root, { childList: true, subtree: true, characterData: true });
  soon();
  return () => {
    changes.disconnect();
    cancelAnimationFrame(frame);
    CSS.highlights.delete(NAME);
  };
}

function rangesOf(root: HTMLElement, wanted: string): StaticRange[] {
  const ranges: StaticRange[] = [];
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node && ranges.length < MAX_RANGES; node = walker.nextNode()) {
    const text = node.textContent?.toLowerCase() ?? '';
    for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + wanted.length)) {
      ranges.push(
        new StaticRange({
          startContainer: node,
          startOffset: at,
          endContainer: node,
          endOffset: at + wanted.length,
        }),
      );
    }
  }
  return ranges;
}
