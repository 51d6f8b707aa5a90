/** What every drawn block can do; the kinds live in `blocks.ts`, `list-block.ts` and `table-block.ts`. */
import type { MarkedToken, Token } from 'marked';
import type { CodeBlock } from './code-block.ts';

export interface DrawnBlock {
  readonly node: Element;
  /** Takes the token over in place; false when the block has to be drawn anew. */
  update(token: MarkedToken): boolean;
  /** Does it show this very token already? Used to align blocks, not to skip updates. */
  shows(token: MarkedToken): boolean;
  /** The code blocks inside, outermost first. */
  codeBlocks(): CodeBlock[];
}

export type PatchBlocks = (parent: Element, drawn: DrawnBlock[], tokens: readonly Token[]) => void;
