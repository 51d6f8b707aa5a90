/**
 * Colors a closed code block in place. Only visible line groups become spans, so a long block costs neither time
 * nor nodes for the rest. The text is unchanged.
 */
import type { CodeBlock } from '../markdown/code-block.ts';
import { highlight, isHighlightable, knownRuns } from './highlighter.ts';
import { languageOfFence } from './languages.ts';
import { piecesOf, type Runs } from './runs.ts';
import { SYNTAX_KINDS } from './syntax-theme.ts';

/** Groups colored at once if the result is cached: what fits the height of a block. */
const AT_ONCE = 2;

export interface Painter {
  paint(block: CodeBlock): void;
  end(): void;
}

export function createPainter(): Painter {
  const stretches = new WeakMap<Element, { text: string; runs: Runs; from: number }>();
  let seen: IntersectionObserver | undefined;
  let isOver = false;

  const draw = (group: Element) => {
    const stretch = stretches.get(group);
    seen?.unobserve(group);
    if (!stretch) return;
    stretches.delete(group);
    const { text, runs, from } = stretch;
    const length = group.textContent?.length ?? 0;
    // The block has changed since the worker read it.
    if (text.slice(from, from + length) !== group.textContent) return;
    group.replaceChildren(...nodesOf(text, runs, from, from + length));
  };

  const apply = (block: CodeBlock, text: string, runs: Runs) => {
    if (isOver || block.text !== text) return;
    seen ??= new IntersectionObserver((found) => {
      for (const { isIntersecting, target } of found) if (isIntersecting) draw(target);
    });
    let from = 0;
    for (const [index, group] of [...block.code.children].entries()) {
      stretches.set(group, { text, runs, from });
      from += group.textContent?.length ?? 0;
      if (index < AT_ONCE) draw(group);
      else seen.observe(group);
    }
  };

  return {
    paint(block) {
      const language = languageOfFence(block.language);
      const { text } = block;
      if (!isHighlightable(text, language)) return;
      const runs = knownRuns(text, language);
      if (runs) apply(block, text, runs);
      else void highlight(text, language).then((answer) => answer && apply(block, text, answer));
    },
    end() {
      isOver = true;
      seen?.disconnect();
    },
  };
}

function nodesOf(text: string, runs: Runs, from: number, to: number): Node[] {
  return piecesOf(text, runs, from, to).map(({ text: piece, kind }) => {
    if (kind === 0) return document.createTextNode(piece);
    const span = document.createElement('span');
    span.className = `syntax-${SYNTAX_KINDS[kind]}`;
    span.textContent = piece;
    return span;
  });
}
