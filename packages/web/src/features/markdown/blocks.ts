/**
 * Renders block tokens and updates them in place: a paragraph by its changed text, code by appending, lists and
 * tables by items and rows. One block is one node. Independent of streaming.
 */
import type { Token, Tokens } from 'marked';
import { type CodeBlock, GrowingCode } from './code-block.ts';
import { DrawnFold, DrawnNote } from './container-block.ts';
import type { BlockToken, DrawnBlock } from './drawn-block.ts';
import { InlineRun } from './inline.ts';
import { DrawnList } from './list-block.ts';
import { sanitizeHtml } from './raw-html.ts';
import { DrawnTable } from './table-block.ts';
import { element, type TagKind } from './tags.ts';

export function isDrawn(token: Token): boolean {
  return token.type !== 'space' && token.type !== 'def';
}

/** Updates the nodes of `drawn`, the last children of `parent`, to `tokens`. */
export function patchBlocks(parent: Element, drawn: DrawnBlock[], tokens: readonly Token[]): void {
  let index = 0;
  for (const token of tokens as readonly BlockToken[]) {
    if (!isDrawn(token)) continue;
    const old = drawn[index];
    if (old === undefined || !old.update(token)) {
      const fresh = drawBlock(token);
      if (old === undefined) parent.append(fresh.node);
      else old.node.replaceWith(fresh.node);
      drawn[index] = fresh;
    }
    index += 1;
  }
  for (const extra of drawn.splice(index)) extra.node.remove();
}

export function drawBlock(token: BlockToken): DrawnBlock {
  const block = emptyBlock(token);
  block.update(token);
  return block;
}

function emptyBlock(token: BlockToken): DrawnBlock {
  switch (token.type) {
    case 'code':
      return new DrawnCode(token);
    case 'list':
      return new DrawnList(token, patchBlocks);
    case 'table':
      return new DrawnTable();
    case 'blockquote':
      return new DrawnQuote();
    case 'fold':
      return new DrawnFold(patchBlocks);
    case 'note':
      return new DrawnNote(patchBlocks);
    case 'html':
      return new DrawnHtml();
    case 'hr':
      return new DrawnRule();
    default:
      return new DrawnText(token);
  }
}

function textTag(token: BlockToken): TagKind {
  return token.type === 'heading' ? (`heading${token.depth}` as TagKind) : 'paragraph';
}

class DrawnText implements DrawnBlock {
  readonly node: Element;
  readonly #tag: TagKind;
  readonly #run: InlineRun;
  #text: string | undefined;

  constructor(token: BlockToken) {
    this.#tag = textTag(token);
    this.node = element(this.#tag);
    this.#run = new InlineRun(this.node);
  }

  update(token: BlockToken): boolean {
    if (token.type !== 'paragraph' && token.type !== 'text' && token.type !== 'heading') return false;
    if (textTag(token) !== this.#tag) return false;
    // Text with a bracket may have become another link.
    if (token.text === this.#text && !token.text.includes('[')) return true;
    this.#text = token.text;
    this.#run.update(token.tokens ?? []);
    return true;
  }

  shows(token: BlockToken): boolean {
    if (token.type !== 'paragraph' && token.type !== 'text' && token.type !== 'heading') return false;
    return textTag(token) === this.#tag && token.text === this.#text;
  }

  codeBlocks(): CodeBlock[] {
    return [];
  }
}

function languageOf(token: Tokens.Code): string {
  return /^\S*/.exec(token.lang ?? '')?.[0] ?? '';
}

export class DrawnCode implements DrawnBlock {
  readonly block: GrowingCode;

  constructor(token: Tokens.Code) {
    this.block = new GrowingCode(languageOf(token));
  }

  get node(): Element {
    return this.block.root;
  }

  update(token: BlockToken): boolean {
    if (token.type !== 'code' || languageOf(token) !== this.block.language) return false;
    this.block.setText(token.text);
    return true;
  }

  shows(token: BlockToken): boolean {
    return (
      token.type === 'code' && languageOf(token) === this.block.language && token.text === this.block.text
    );
  }

  codeBlocks(): CodeBlock[] {
    return [this.block];
  }
}

class DrawnQuote implements DrawnBlock {
  readonly node = element('quote');
  readonly #children: DrawnBlock[] = [];
  #raw = '';

  update(token: BlockToken): boolean {
    if (token.type !== 'blockquote') return false;
    this.#raw = token.raw;
    patchBlocks(this.node, this.#children, token.tokens);
    return true;
  }

  shows(token: BlockToken): boolean {
    return token.type === 'blockquote' && token.raw.trimEnd() === this.#raw.trimEnd();
  }

  codeBlocks(): CodeBlock[] {
    return this.#children.flatMap((child) => child.codeBlocks());
  }
}

class DrawnHtml implements DrawnBlock {
  readonly node = element('rawHtml', 'markdown-html');
  #html: string | undefined;

  update(token: BlockToken): boolean {
    if (token.type !== 'html') return false;
    const html = token.text.trimEnd();
    if (html === this.#html) return true;
    this.#html = html;
    this.node.replaceChildren(sanitizeHtml(html));
    return true;
  }

  shows(token: BlockToken): boolean {
    return token.type === 'html' && token.text.trimEnd() === this.#html;
  }

  codeBlocks(): CodeBlock[] {
    return [];
  }
}

class DrawnRule implements DrawnBlock {
  readonly node = element('rule');

  update(token: BlockToken): boolean {
    return token.type === 'hr';
  }

  shows(token: BlockToken): boolean {
    return token.type === 'hr';
  }

  codeBlocks(): CodeBlock[] {
    return [];
  }
}
