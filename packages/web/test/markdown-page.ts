/** Runs in the page of `markdown.browser.test.ts`: renders texts and returns the resulting DOM. */
import { marked } from 'marked';
import { createMarkdownView, type MarkdownView } from '../src/features/markdown/markdown-view.ts';
import { RAW_HTML_POLICY } from '../src/features/markdown/raw-html.ts';
import { TAGS } from '../src/features/markdown/tags.ts';
import { seenText, shapeOf } from './markdown-shape.ts';

export interface Streamed {
  /** The DOM after each append. */
  readonly frames: string[];
  readonly final: string;
  readonly oneShot: string;
  /** DOM changes made by `replace` when called a second time with the same text. */
  readonly idleChanges: number;
  /** DOM changes made by the first `replace`. */
  readonly closingChanges: number;
}

function mount(): { root: HTMLElement; view: MarkdownView } {
  const root = document.createElement('div');
  document.body.append(root);
  return { root, view: createMarkdownView(root) };
}

function changesDuring(root: HTMLElement, work: () => void): number {
  const observer = new MutationObserver(() => undefined);
  observer.observe(root, { subtree: true, childList: true, characterData: true, attributes: true });
  work();
  const count = observer.takeRecords().length;
  observer.disconnect();
  return count;
}

function drop({ root, view }: { root: HTMLElement; view: MarkdownView }): void {
  view.destroy();
  root.remove();
}

function oneShot(text: string): string {
  const mounted = mount();
  mounted.view.replace(text);
  const html = mounted.root.innerHTML;
  drop(mounted);
  return html;
}

function stream(pieces: readonly string[], keepFrames = false): Streamed {
  const mounted = mount();
  const { root, view } = mounted;
  const frames: string[] = [];
  for (const piece of pieces) {
    view.append(piece);
    if (keepFrames) frames.push(root.innerHTML);
  }
  const text = pieces.join('');
  if (view.text !== text) throw new Error('the view lost text');
  const closingChanges = changesDuring(root, () => view.replace(text));
  const final = root.innerHTML;
  const idleChanges = changesDuring(root, () => view.replace(text));
  drop(mounted);
  return { frames, final, oneShot: oneShot(text), idleChanges, closingChanges };
}

/** The visible text of our rendering and of the parser's HTML. */
function words(text: string): { ours: string; theirs: string } {
  const ours = new DOMParser().parseFromString(oneShot(text), 'text/html');
  for (const header of ours.querySelectorAll('figcaption')) header.remove();
  const theirs = new DOMParser().parseFromString(
    marked.parse(text, { gfm: true, breaks: true, async: false }),
    'text/html',
  );
  // The parser does not support formulas and shows their delimiters.
  const squeeze = (page: Document) => (page.body.textContent ?? '').replace(/[\s$()[\]\\]+/g, '');
  return { ours: squeeze(ours), theirs: squeeze(theirs) };
}

/** Everything in the rendering of `text`, whole and streamed, that could run or leave the page. */
function dangers(text: string, allowedTags: readonly string[]): string[] {
  const found: string[] = [];
  const mounted = mount();
  const inspect = () => {
    for (const node of mounted.root.querySelectorAll('*')) {
      if (!allowedTags.includes(node.localName)) found.push(`<${node.localName}>`);
      for (const { name, value } of node.attributes) {
        if (/^on|^style$|^id$|^name$|^form|^srcdoc$|^srcset$|^xlink/.test(name))
          found.push(`${name}=${value}`);
      }
      if (node instanceof HTMLAnchorElement && node.hasAttribute('href')) {
        if (!['http:', 'https:', 'mailto:'].includes(node.protocol)) found.push(`href=${node.href}`);
        if (node.rel !== 'noopener noreferrer' || node.target !== '_blank') found.push('open link');
      }
      if (node instanceof HTMLImageElement) {
        const url = new URL(node.src, document.baseURI);
        const isOwn = url.origin === location.origin || /^data:image\//.test(url.href);
        if (!isOwn) found.push(`src=${node.src}`);
      }
    }
  };
  for (let at = 0; at < text.length; at += 7) {
    mounted.view.append(text.slice(at, at + 7));
    inspect();
  }
  mounted.view.replace(text);
  inspect();
  drop(mounted);
  return [...new Set(found)];
}

/** Streams a text through our view and compares it with the HTML of the reference renderer. */
function besideReference(pieces: readonly string[], reference: string) {
  const { final, oneShot } = stream(pieces);
  return {
    isSameStreamed: final === oneShot,
    ours: shapeOf(final),
    theirs: shapeOf(reference),
    oursSeen: seenText(final).text,
    theirsSeen: seenText(reference),
  };
}

function allBesideReference(texts: readonly (readonly [pieces: readonly string[], reference: string])[]) {
  return texts.map(([pieces, reference]) => besideReference(pieces, reference));
}

function codeButtons(): Promise<string[]> {
  const root = document.createElement('div');
  document.body.append(root);
  const copied: string[] = [];
  const view = createMarkdownView(root, {
    copy: async (text) => {
      copied.push(text);
    },
  });
  view.append('```ts\nlet a = "<b>";\n\nlet b;\n```\n');
  const copyButton = root.querySelector<HTMLElement>('[data-action=copy]');
  root.querySelector<HTMLElement>('[data-action=wrap]')?.click();
  copyButton?.click();
  return new Promise((resolve) => {
    setTimeout(() => {
      const figure = root.querySelector('figure');
      resolve([...copied, copyButton?.textContent ?? '', figure?.className ?? '']);
    });
  });
}

function closedCode(pieces: readonly string[]): string[] {
  const root = document.createElement('div');
  const closed: string[] = [];
  const view = createMarkdownView(root, {
    onCodeClosed: (block) => closed.push(`${block.language}:${block.text}`),
  });
  for (const piece of pieces) view.append(piece);
  view.replace(pieces.join(''));
  return closed;
}

/** Nodes touched by the last appends of a long text; must not depend on its length. */
function lateWork(head: string, pieces: readonly string[]): { changes: number; parsed: number } {
  const mounted = mount();
  for (let at = 0; at < head.length; at += 4_000) mounted.view.append(head.slice(at, at + 4_000));
  const started = performance.now();
  const changes = changesDuring(mounted.root, () => {
    for (const piece of pieces) mounted.view.append(piece);
  });
  const parsed = performance.now() - started;
  drop(mounted);
  return { changes, parsed };
}

function allDangers(texts: readonly string[], allowedTags: readonly string[]): string[] {
  return texts.flatMap((text) => dangers(text, allowedTags).map((danger) => `${danger} of ${text}`));
}

const page = {
  oneShot,
  stream,
  words,
  allBesideReference,
  allDangers,
  codeButtons,
  closedCode,
  lateWork,
  tags: TAGS,
  rawHtmlPolicy: RAW_HTML_POLICY,
};

export type MarkdownPage = typeof page;

declare global {
  interface Window {
    markdownPage: MarkdownPage;
  }
}

window.markdownPage = page;
