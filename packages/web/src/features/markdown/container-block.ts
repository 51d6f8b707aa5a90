/** Rendered blocks that contain other blocks: folds and footnotes. */
import { visibleProse } from '../../kit/visible-text.ts';
import type { CodeBlock } from './code-block.ts';
import type { BlockToken, DrawnBlock, PatchBlocks } from './drawn-block.ts';
import { InlineRun } from './inline.ts';
import { element } from './tags.ts';

/** The reader opens and closes it; the source's `open` applies to the first render only. */
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

/** A footnote, rendered where it is written: at the end of a growing answer it would keep moving. */
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
    const label = visibleProse(token.label);
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
