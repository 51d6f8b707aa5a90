import { useMarkdown } from '../../features/prose/use-markdown.ts';

export function MarkdownPreview({ text }: { text: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys
    <section className="file-preview" aria-label="Preview" tabIndex={0}>
      <div className="prose" ref={useMarkdown(text)} />
    </section>
  );
}
