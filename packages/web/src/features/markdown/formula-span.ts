/**
 * The span of an inline formula: its source until it is drawn. New spans are collected until the rendering view
 * takes them, in the same task, and reports them.
 */
import type { FormulaToken } from './math-syntax.ts';
import { element } from './tags.ts';

let fresh: HTMLElement[] = [];

export function formulaSpan({ raw, text, isDisplay }: FormulaToken): HTMLElement {
  const span = element('formula', 'markdown-formula');
  span.dataset.formula = text;
  if (isDisplay) span.dataset.display = '';
  span.textContent = raw;
  fresh.push(span);
  return span;
}

export function takeFreshFormulas(): readonly HTMLElement[] {
  if (fresh.length === 0) return fresh;
  const taken = fresh;
  fresh = [];
  return taken.filter((span) => span.isConnected);
}
