/**
 * Converts the untrusted description of a formula from the sandbox to DOM nodes, with frozen lists of elements,
 * classes, attributes and style properties. Anything else rejects the whole formula, which then stays source text.
 */
import { z } from 'zod';
import { FORMULA_CLASSES } from './built-frames.ts';

const MAX_NODES = 4_000;
const SVG = 'http://www.w3.org/2000/svg';
const TAGS: Readonly<Record<string, string>> = Object.freeze({
  span: 'http://www.w3.org/1999/xhtml',
  svg: SVG,
  path: SVG,
  line: SVG,
});
const CLASSES: ReadonlySet<string> = new Set(FORMULA_CLASSES);
const LENGTH = /^-?\d{0,4}(?:\.\d+)?(?:em|%|px)?$/;
const COLOR = /^(?:#[0-9a-f]{3,8}|[a-z]{3,20}|rgb\([\d, .]{5,30}\))$/i;
const STYLES: Readonly<Record<string, RegExp>> = Object.freeze({
  ...Object.fromEntries(
    [
      ...['height', 'width', 'min-width', 'top', 'bottom', 'left', 'vertical-align'],
      ...['margin-left', 'margin-right', 'margin-top', 'padding-left', 'padding-right'],
      ...['border-width', 'border-bottom-width', 'border-right-width', 'border-top-width'],
    ].map((name) => [name, LENGTH]),
  ),
  position: /^relative$/,
  'border-style': /^(?:solid|dashed)$/,
  'border-right-style': /^(?:solid|dashed)$/,
  color: COLOR,
  'background-color': COLOR,
  'border-color': COLOR,
  'text-shadow': /^[\d.]+em 0(?:\.\d+)?(?:em|px) 0(?:px)?$/,
});
const ATTRIBUTES: Readonly<Record<string, RegExp>> = Object.freeze({
  width: LENGTH,
  height: LENGTH,
  viewBox: /^[-\d. ]{7,60}$/,
  preserveAspectRatio: /^x[a-zA-Z]{3,12} (?:meet|slice)$|^none$/,
  d: /^[-+MLHVCSQTAZmlhvcsqtaz\d\s.,e]*$/,
  x1: LENGTH,
  x2: LENGTH,
  y1: LENGTH,
  y2: LENGTH,
  'stroke-width': LENGTH,
});

type Inner = string | [string, string, string, Record<string, string>, Inner[]];
const InnerShape: z.ZodType<Inner> = z.lazy(() =>
  z.union([
    z.string().max(200),
    z.tuple([
      z.string().max(8),
      z.string().max(200),
      z.string().max(400),
      z.record(z.string().max(24), z.string().max(20_000)),
      z.array(InnerShape).max(MAX_NODES),
    ]),
  ]),
);
const FormulaShape = z.object({ boxes: z.array(InnerShape).max(20) });

export type FormulaBoxes = readonly Inner[];

export function parseFormula(answer: unknown): FormulaBoxes | undefined {
  try {
    const parsed = FormulaShape.safeParse(answer);
    return parsed.success ? parsed.data.boxes : undefined;
  } catch (error) {
    // Nested too deeply for the stack.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** The nodes of a formula; undefined if it contains anything not allowed. */
export function formulaNodes(boxes: FormulaBoxes): Node[] | undefined {
  const left = { nodes: MAX_NODES };
  const nodes = boxes.map((box) => nodeOf(box, left));
  return nodes.every((node) => node !== undefined) ? nodes : undefined;
}

function nodeOf(inner: Inner, left: { nodes: number }): Node | undefined {
  left.nodes -= 1;
  if (left.nodes < 0) return undefined;
  if (typeof inner === 'string') return document.createTextNode(inner);
  const [tag, classes, style, attributes, children] = inner;
  const space = Object.hasOwn(TAGS, tag) ? TAGS[tag] : undefined;
  if (space === undefined) return undefined;
  const node = document.createElementNS(space, tag) as HTMLElement | SVGElement;
  const known = classes.split(' ').filter((name) => CLASSES.has(name));
  if (known.length > 0) node.setAttribute('class', known.join(' '));
  for (const [name, value] of Object.entries(attributes)) {
    if (!Object.hasOwn(ATTRIBUTES, name) || !ATTRIBUTES[name]?.test(value)) return undefined;
    node.setAttribute(name, value);
  }
  for (const declaration of style.split(';')) {
    const [name = '', value = ''] = declaration.split(':').map((part) => part.trim());
    if (name === '') continue;
    if (!Object.hasOwn(STYLES, name) || !STYLES[name]?.test(value)) return undefined;
    node.style.setProperty(name, value);
  }
  for (const child of children) {
    const drawn = nodeOf(child, left);
    if (drawn === undefined) return undefined;
    node.append(drawn);
  }
  return node;
}
