/** What every drawn block can do; the kinds live in `blocks.ts` and the files named `…-block.ts`. */
import type { MarkedToken, Token } from 'marked';
import type { CodeBlock } from './code-block.ts';
import type { FoldToken, NoteToken } from './container-syntax.ts';

export type BlockToken = MarkedToken | FoldToken | NoteToken;

export interface DrawnBlock {
  readonly node: Element;
  /** Takes the token over in place; false when the block has to be drawn anew. */
  update(token: BlockToken): boolean;
  /** Does it show this very token already? Used to align blocks, not to skip updates. */
  shows(token: BlockToken): boolean;
  /** The code blocks inside, outermost first. */
  codeBlocks(): CodeBlock[];
}

export type PatchBlocks = (parent: Element, drawn: DrawnBlock[], tokens: readonly Token[]) => void;
