/**
 * One code block: figure, header (language, wrap, copy) and text that only grows. Lines are in small groups with
 * separate layout boxes, so that a growing block of 60 KB lays out only its last lines. Highlighting is done
 * elsewhere: a highlighter may replace the children of `code` once the block is closed.
 */
import { visibleProse } from '../../kit/visible-text.ts';
import { element } from './tags.ts';

const LINES_PER_GROUP = 16;

export const CODE_CLASS = 'markdown-code';

export interface CodeBlock {
  readonly root: HTMLElement;
  readonly code: HTMLElement;
  readonly language: string;
  readonly text: string;
}

const blocks = new WeakMap<Element, CodeBlock>();

/** The block of a header button. */
export function codeBlockOf(node: Element): CodeBlock | undefined {
  const root = node.closest(`.${CODE_CLASS}`);
  return root === null ? undefined : blocks.get(root);
}

function button(action: string, label: string): HTMLElement {
  const node = element('codeButton', `markdown-code-${action}`);
  node.type = 'button';
  node.dataset.action = action;
  node.textContent = label;
  return node;
}

export class GrowingCode implements CodeBlock {
  readonly root = element('codeFrame', CODE_CLASS);
  readonly code = element('codeText');
  readonly language: string;
  readonly #scroll = element('codeScroll', 'markdown-code-scroll');
  #parts: string[] = [];
  #joined = '';
  #tail: Text | undefined;
  #linesInTail = 0;

  constructor(language: string) {
    this.language = language;
    const header = element('codeHeader', 'markdown-code-header');
    const label = element('codeLabel', 'markdown-code-language');
    label.textContent = language === '' ? 'text' : language;
    const wrap = button('wrap', 'Wrap');
    wrap.setAttribute('aria-pressed', 'false');
    header.append(label, wrap, button('copy', 'Copy'));
    this.#scroll.tabIndex = 0;
    this.#scroll.append(this.code);
    this.root.append(header, this.#scroll);
    blocks.set(this.root, this);
  }

  get text(): string {
    if (this.#parts.length > 0) {
      this.#joined += this.#parts.join('');
      this.#parts = [];
    }
    return this.#joined;
  }

  append(text: string): void {
    // A highlighter has replaced the nodes of the last group, so text appended there would be invisible.
    if (this.#tail !== undefined && !this.code.contains(this.#tail)) {
      const whole = this.text + text;
      this.#clear();
      this.append(whole);
      return;
    }
    this.#parts.push(text);
    let from = 0;
    while (from < text.length) {
      if (this.#tail === undefined) this.#openGroup();
      const to = this.#endOfGroup(text, from);
      this.#tail?.appendData(visibleProse(from === 0 && to === text.length ? text : text.slice(from, to)));
      if (this.#linesInTail === LINES_PER_GROUP) this.#tail = undefined;
      from = to;
    }
  }

  /** Sets the text; appends if it only grew. */
  setText(text: string): void {
    const before = this.text;
    if (text === before) return;
    if (text.startsWith(before)) {
      this.append(text.slice(before.length));
      return;
    }
    this.#clear();
    this.append(text);
  }

  #clear(): void {
    this.code.replaceChildren();
    this.#joined = '';
    this.#tail = undefined;
  }

  /** Keeps the end in view while growing, with CSS: measuring every frame would force a layout. */
  setGrowing(isGrowing: boolean): void {
    if (this.#scroll.classList.contains('is-growing') === isGrowing) return;
    const isAtEnd = this.#scroll.scrollTop > -4;
    this.#scroll.classList.toggle('is-growing', isGrowing);
    if (!isGrowing && isAtEnd) this.#scroll.scrollTop = this.#scroll.scrollHeight;
  }

  #openGroup(): void {
    const group = element('codeLines', 'markdown-code-lines');
    this.#tail = document.createTextNode('');
    this.#linesInTail = 0;
    group.append(this.#tail);
    this.code.append(group);
  }

  #endOfGroup(text: string, from: number): number {
    let at = from;
    while (this.#linesInTail < LINES_PER_GROUP) {
      const newline = text.indexOf('\n', at);
      if (newline === -1) return text.length;
      this.#linesInTail += 1;
      at = newline + 1;
    }
    return at;
  }
}
