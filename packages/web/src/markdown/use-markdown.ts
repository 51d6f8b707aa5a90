/** Markdown in a card beside the conversation: the same view, and the same rules for foreign text, as there. */
import { type RefObject, useEffect, useRef } from 'react';
import { createLazyDrawer } from '../drawing/lazy-drawer.ts';
import { createLazyPainter } from '../highlight/lazy-painter.ts';
import { createMarkdownView, type MarkdownView } from './markdown-view.ts';

/** For an element of class `prose`. */
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
