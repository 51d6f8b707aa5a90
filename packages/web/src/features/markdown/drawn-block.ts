/** Interface of rendered blocks; the kinds are in `blocks.ts` and the `…-block.ts` files. */
import type { MarkedToken, Token } from 'marked';
import type { CodeBlock } from './code-block.ts';
import type { FoldToken, NoteToken } from './container-syntax.ts';

export type BlockToken = MarkedToken | FoldToken | NoteToken;

export interface DrawnBlock {
  readonly node: Element;
  /** Updates the block in place; false if it has to be rendered again. */
  update(token: BlockToken): boolean;
  /** Whether it already shows this token. Used to align blocks, not to skip updates. */
  shows(token: BlockToken): boolean;
  /** The code blocks inside, outermost first. */
  codeBlocks(): CodeBlock[];
}

export type PatchBlocks = (parent: Element, drawn: DrawnBlock[], tokens: readonly Token[]) => void;
