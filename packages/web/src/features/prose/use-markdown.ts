/** Markdown in other cards: the same view and the same rules for untrusted text as in the conversation. */
import { type RefObject, useEffect, useRef } from 'react';
import { createLazyDrawer } from '../drawing/lazy-drawer.ts';
import { createLazyPainter } from '../highlight/lazy-painter.ts';
import { createMarkdownView, type MarkdownView } from '../markdown/markdown-view.ts';

/** For an element with the class `prose`. */
export function useMarkdown(text: string): RefObject<HTMLDivElement | null> {
  const root = useRef<HTMLDivElement>(null);
  const view = useRef<MarkdownView>(undefined);
  useEffect(() => {
    if (!root.current) return;
    const painter = createLazyPainter();
    const drawer = createLazyDrawer();
    view.current = createMarkdownView(root.current, {
      onCodeClosed: (block) => {
        if (!drawer.drawBlock(block)) painter.paint(block);
      },
      onFormulas: drawer.drawInline,
    });
    return () => {
      painter.end();
      drawer.end();
      view.current?.destroy();
    };
  }, []);
  useEffect(() => view.current?.replace(text), [text]);
  return root;
}
