import { useEffect, useRef } from 'react';
import { createLateDrawer } from '../../drawing/late-drawer.ts';
import { createPainter } from '../../highlight/paint-code.ts';
import { createMarkdownView, type MarkdownView } from '../../markdown/markdown-view.ts';

/** The same view, and the same rules for foreign text, as in conversations. */
export function MarkdownPreview({ text }: { text: string }) {
  const root = useRef<HTMLDivElement>(null);
  const view = useRef<MarkdownView>(undefined);
  useEffect(() => {
    if (!root.current) return;
    const painter = createPainter();
    const drawer = createLateDrawer();
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
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys
    <section className="file-preview" aria-label="Preview" tabIndex={0}>
      <div className="prose" ref={root} />
    </section>
  );
}
