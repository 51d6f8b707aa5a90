/**
 * The hot path: text of an open entry goes straight to the Markdown view, one append per frame, without React. The
 * full text is parsed once, when the entry closes.
 */
import type { Readable } from '@tugdeck/client/store';
import type { Entry } from '@tugdeck/protocol/conversation/entries';
import { createLazyDrawer } from '../drawing/lazy-drawer.ts';
import { createLazyPainter } from '../highlight/lazy-painter.ts';
import { createMarkdownView } from '../markdown/markdown-view.ts';

/**
 * `kept` is called when a long text that was fully rendered stays so, although the entry now has only its
 * beginning.
 */
export function streamText(
  root: HTMLElement,
  source: Readable<Entry | undefined>,
  kept: () => void = () => undefined,
): () => void {
  const painter = createLazyPainter();
  const drawer = createLazyDrawer();
  const view = createMarkdownView(root, {
    onCodeClosed: (block) => {
      if (!drawer.drawBlock(block)) painter.paint(block);
    },
    onFormulas: drawer.drawInline,
  });
  let rev = -1;
  let isWhole = false;
  const draw = () => {
    const entry = source.get();
    if (!entry || !('text' in entry)) return;
    const { text } = entry;
    const isOpen = entry.status === 'partial';
    if (!isOpen && isDrawnWhole(entry, view.text)) {
      isWhole = true;
      kept();
    } else if (!isOpen || isWhole) {
      if (!isWhole || view.text !== text) view.replace(text);
      isWhole = !isOpen;
    } else if (entry.rev === rev || text.startsWith(view.text)) {
      view.append(text.slice(view.text.length));
    } else {
      view.replace(text);
    }
    rev = entry.rev;
  };
  draw();
  const unsubscribe = source.subscribe(draw);
  return () => {
    unsubscribe();
    painter.end();
    drawer.end();
    view.destroy();
  };
}

function isDrawnWhole(entry: Entry, drawn: string): boolean {
  if (!('more' in entry) || !entry.more || !drawn.startsWith(entry.text)) return false;
  return new TextEncoder().encode(drawn).length === entry.more.size;
}
