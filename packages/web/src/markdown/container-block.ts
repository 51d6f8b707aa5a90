/** Drawn blocks that hold other blocks: folds and notes. */
import { proseText } from '../ui/visible-text.ts';
import type { CodeBlock } from './code-block.ts';
import type { BlockToken, DrawnBlock, PatchBlocks } from './drawn-block.ts';
import { InlineRun } from './inline.ts';
import { element } from './tags.ts';

/** Opened and closed by the reader: what the source says holds for the first drawing only. */
export class DrawnFold implements DrawnBlock {
  readonly node = element('fold', 'markdown-fold');
  readonly #summary = element('foldSummary');
  readonly #title = new InlineRun(this.#summary);
  readonly #children: DrawnBlock[] = [];
  readonly #patchBlocks: PatchBlocks;
  #raw: string | undefined;

  constructor(patchBlocks: PatchBlocks) {
    this.#patchBlocks = patchBlocks;
    this.node.append(this.#summary);
  }

  update(token: BlockToken): boolean {
    if (token.type !== 'fold') return false;
    if (this.#raw === undefined && token.isOpen) this.node.setAttribute('open', '');
    this.#raw = token.raw;
    const title = token.summary.length > 0 ? token.summary : [{ type: 'text', raw: '', text: 'Details' }];
    this.#title.update(title);
    this.#patchBlocks(this.node, this.#children, token.tokens);
    return true;
  }

  shows(token: BlockToken): boolean {
    return token.type === 'fold' && token.raw.trimEnd() === this.#raw?.trimEnd();
  }

  codeBlocks(): CodeBlock[] {
    return this.#children.flatMap((child) => child.codeBlocks());
  }
}

/** A footnote, drawn where it is written: moved to the end of an answer that still grows, it would never rest. */
export class DrawnNote implements DrawnBlock {
  readonly node = element('note', 'markdown-note');
  readonly #mark = element('noteMark');
  readonly #body = element('noteBody');
  readonly #children: DrawnBlock[] = [];
  readonly #patchBlocks: PatchBlocks;
  #raw = '';

  constructor(patchBlocks: PatchBlocks) {
    this.#patchBlocks = patchBlocks;
    this.node.append(this.#mark, this.#body);
  }

  update(token: BlockToken): boolean {
    if (token.type !== 'note') return false;
    this.#raw = token.raw;
    const label = proseText(token.label);
    if (this.#mark.textContent !== label) this.#mark.textContent = label;
    this.#patchBlocks(this.#body, this.#children, token.tokens);
    return true;
  }

  shows(token: BlockToken): boolean {
    return token.type === 'note' && token.raw.trimEnd() === this.#raw.trimEnd();
  }

  codeBlocks(): CodeBlock[] {
    return this.#children.flatMap((child) => child.codeBlocks());
  }
}
