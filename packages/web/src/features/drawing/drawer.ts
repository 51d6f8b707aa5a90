/**
 * Inserts drawings: a diagram or display formula into its code block, with a button that shows the source; an
 * inline formula into its span. Loaded with the first of them. Without a drawing, the source stays.
 */
import 'katex/dist/katex.min.css';
import './drawing.css';
import type { CodeBlock } from '../markdown/code-block.ts';
import { element } from '../markdown/tags.ts';
import { currentDiagramTheme, onDiagramThemeChange } from './diagram-theme.ts';
import {
  type Diagram,
  type DrawResult,
  drawDiagram,
  drawFormula,
  knownDiagram,
  knownFormula,
} from './drawings.ts';
import { drawnSize, saveDrawnSize } from './drawn-sizes.ts';
import { type FormulaBoxes, formulaNodes } from './formula-nodes.ts';

const FONTS = ['1em KaTeX_Main', 'italic 1em KaTeX_Math', '1em KaTeX_Size1', '1em KaTeX_Size2'];
let fonts: Promise<unknown> | undefined;

/** Waits for the fonts, so that widths are right from the first frame. */
function fontsReady(): Promise<unknown> {
  fonts ??= Promise.allSettled(FONTS.map((font) => document.fonts.load(font)));
  return fonts;
}

export interface Drawer {
  drawBlock(block: CodeBlock, kind: 'formula' | 'diagram'): void;
  drawInline(span: HTMLElement): void;
  end(): void;
}

export function createDrawer(): Drawer {
  const shown = new Map<CodeBlock, 'diagram'>();
  let isOver = false;
  let forget: (() => void) | undefined;

  const whenStill = <T>(block: CodeBlock, source: string, use: (drawn: DrawResult<T>) => void) => {
    return (drawn: DrawResult<T>) => {
      if (!isOver && block.text === source) use(drawn);
    };
  };

  const drawDiagramOf = (block: CodeBlock) => {
    const source = block.text;
    const look = currentDiagramTheme();
    const show = whenStill<Diagram>(block, source, (drawn) => placeDiagram(block, source, drawn));
    const known = knownDiagram(source, look);
    if (known) return show(known);
    const size = drawnSize(source);
    if (size && !block.root.dataset.drawing) drawingPlace(block).append(spaceOf(size));
    void drawDiagram(source, look).then(show);
  };

  return {
    drawBlock(block, kind) {
      const source = block.text;
      if (source.trim() === '') return;
      if (kind === 'diagram') {
        shown.set(block, kind);
        forget ??= onDiagramThemeChange(() => {
          for (const each of shown.keys()) drawDiagramOf(each);
        });
        drawDiagramOf(block);
        return;
      }
      const show = whenStill<FormulaBoxes>(block, source, (drawn) => placeFormula(block, drawn));
      const known = knownFormula(source, true);
      if (known) show(known);
      else void Promise.all([drawFormula(source, true), fontsReady()]).then(([drawn]) => show(drawn));
    },
    drawInline(span) {
      const source = span.dataset.formula ?? '';
      const isDisplay = span.dataset.display !== undefined;
      const show = (drawn: DrawResult<FormulaBoxes>) => {
        if (!isOver && span.dataset.formula === source) placeInline(span, source, drawn);
      };
      const known = knownFormula(source, isDisplay);
      if (known) show(known);
      else void Promise.all([drawFormula(source, isDisplay), fontsReady()]).then(([drawn]) => show(drawn));
    },
    end() {
      isOver = true;
      forget?.();
      shown.clear();
    },
  };
}

function placeInline(span: HTMLElement, source: string, drawn: DrawResult<FormulaBoxes>): void {
  const nodes = 'drawing' in drawn ? formulaNodes(drawn.drawing) : undefined;
  if (nodes === undefined) {
    span.title = 'fault' in drawn ? drawn.fault : 'Couldn’t render this';
    return;
  }
  const face = element('formula', 'markdown-formula-face');
  face.setAttribute('aria-hidden', 'true');
  face.append(...nodes);
  span.setAttribute('role', 'math');
  span.setAttribute('aria-label', source);
  span.dataset.drawn = '';
  span.replaceChildren(face);
}

function placeFormula(block: CodeBlock, drawn: DrawResult<FormulaBoxes>): void {
  const nodes = 'drawing' in drawn ? formulaNodes(drawn.drawing) : undefined;
  if (nodes === undefined) {
    refuse(block, 'fault' in drawn ? drawn.fault : 'Couldn’t render this');
    return;
  }
  const face = element('drawing', 'markdown-formula-face');
  face.setAttribute('role', 'math');
  face.setAttribute('aria-label', block.text);
  const inside = element('drawing');
  inside.setAttribute('aria-hidden', 'true');
  inside.append(...nodes);
  face.append(inside);
  drawingPlace(block).replaceChildren(face);
  block.root.dataset.drawing = 'formula';
}

function placeDiagram(block: CodeBlock, source: string, drawn: DrawResult<Diagram>): void {
  if (!('drawing' in drawn)) {
    refuse(block, drawn.fault);
    return;
  }
  const { address, width, height } = drawn.drawing;
  const picture = element('image');
  picture.alt = `Diagram. Source: ${source.slice(0, 500)}`;
  picture.width = width;
  picture.height = height;
  picture.src = address;
  fitted(picture, drawn.drawing);
  saveDrawnSize(source, drawn.drawing);
  // Decoded before it replaces the source, so that nothing is empty in between.
  void picture.decode().then(
    () => {
      if (block.text !== source) return;
      drawingPlace(block).replaceChildren(picture);
      block.root.dataset.drawing = 'diagram';
    },
    () => refuse(block, 'Couldn’t render this'),
  );
}

function spaceOf(size: { width: number; height: number }): HTMLElement {
  const space = element('drawing', 'markdown-drawing-space');
  fitted(space, size);
  return space;
}

function fitted(node: HTMLElement, { width, height }: { width: number; height: number }): void {
  node.style.setProperty('--drawn-width', `${width}px`);
  node.style.aspectRatio = `${width} / ${height}`;
}

/** Shows in the header why the drawing failed. */
function refuse(block: CodeBlock, fault: string): void {
  block.root.querySelector('.markdown-drawing')?.remove();
  block.root.querySelector('.markdown-code-source')?.remove();
  delete block.root.dataset.drawing;
  const label = block.root.querySelector<HTMLElement>('.markdown-code-language');
  if (!label) return;
  label.textContent = `${block.language} · couldn’t be rendered, showing source`;
  label.title = fault;
}

/** The element of the drawing, created once, with the button that shows the source. */
function drawingPlace(block: CodeBlock): HTMLElement {
  const before = block.root.querySelector<HTMLElement>('.markdown-drawing');
  if (before) return before;
  const room = element('drawing', 'markdown-drawing');
  room.tabIndex = 0;
  const header = block.root.firstElementChild;
  const source = element('codeButton', 'markdown-code-source');
  source.type = 'button';
  source.dataset.action = 'source';
  source.textContent = 'Source';
  source.setAttribute('aria-pressed', 'false');
  header?.querySelector('[data-action]')?.before(source);
  header?.after(room);
  block.root.dataset.drawing = 'waiting';
  return room;
}
