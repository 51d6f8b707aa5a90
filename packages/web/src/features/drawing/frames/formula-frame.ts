/**
 * Runs in the sandboxed page for formulas. Receives TeX through a port, replies with a description of boxes and
 * glyphs as data, never markup. Has no origin, no network and no access to the page except the port. Has no
 * imports.
 */
import type { default as Katex } from 'katex';

declare const katex: typeof Katex;

type Box = [
  tag: string,
  className: string,
  style: string,
  attributes: Record<string, string>,
  inner: Inner[],
];
type Inner = Box | string;

const ATTRIBUTES = [
  ...['width', 'height', 'viewBox', 'preserveAspectRatio', 'd'],
  ...['x1', 'x2', 'y1', 'y2', 'stroke-width'],
];

function describe(node: Element): Box {
  const attributes: Record<string, string> = {};
  for (const name of ATTRIBUTES) {
    const value = node.getAttribute(name);
    if (value !== null) attributes[name] = value;
  }
  const inner = [...node.childNodes].map((child) =>
    child instanceof Element ? describe(child) : (child.textContent ?? ''),
  );
  return [
    node.localName,
    node.getAttribute('class') ?? '',
    node.getAttribute('style') ?? '',
    attributes,
    inner,
  ];
}

function draw(source: string, isDisplay: boolean): Box[] {
  const place = document.createElement('div');
  katex.render(source, place, {
    displayMode: isDisplay,
    output: 'html',
    throwOnError: true,
    strict: false,
    trust: false,
    maxSize: 40,
    maxExpand: 500,
  });
  return [...place.children].map(describe);
}

addEventListener(
  'message',
  ({ ports: [port] }) => {
    if (!port) return;
    port.onmessage = ({ data: { id, source, isDisplay } }) => {
      try {
        port.postMessage({ id, boxes: draw(source, isDisplay) });
      } catch (error) {
        port.postMessage({ id, fault: String(error instanceof Error ? error.message : error).slice(0, 300) });
      }
    };
    port.postMessage({ id: 0 });
  },
  { once: true },
);
