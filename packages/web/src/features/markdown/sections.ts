/**
 * Groups the top-level blocks of a view into sections of fixed size. Each section is isolated for layout and paint
 * (see the style sheet): otherwise a growing end makes the browser lay out all boxes in every frame. The section
 * depends only on a block's index.
 */
import { element } from './tags.ts';

const BLOCKS_PER_SECTION = 8;

export class Sections {
  readonly #root: HTMLElement;
  readonly #sections: HTMLElement[] = [];

  constructor(root: HTMLElement) {
    this.#root = root;
  }

  /** Places `nodes` into sections; those before `from` are already in place. */
  arrange(nodes: readonly { readonly node: Element }[], from: number): void {
    for (let index = from; index < nodes.length; index += 1) {
      const node = nodes[index]?.node;
      if (node === undefined) continue;
      const section = this.#sectionFor(index);
      const before = index % BLOCKS_PER_SECTION === 0 ? null : (nodes[index - 1]?.node ?? null);
      if (node.parentNode === section && node.previousSibling === before) continue;
      section.insertBefore(node, before === null ? section.firstChild : before.nextSibling);
    }
    const needed = Math.ceil(nodes.length / BLOCKS_PER_SECTION);
    for (const extra of this.#sections.splice(needed)) extra.remove();
  }

  clear(): void {
    this.#root.replaceChildren();
    this.#sections.length = 0;
  }

  #sectionFor(index: number): HTMLElement {
    const at = Math.floor(index / BLOCKS_PER_SECTION);
    let section = this.#sections[at];
    if (section === undefined) {
      section = element('section', 'markdown-section');
      this.#sections.push(section);
      this.#root.append(section);
    }
    return section;
  }
}
