/**
 * Draws formulas and diagrams in the sandboxed frames, validates the results and caches them, so that a row
 * rendered again has its drawing at once. A diagram is shown as an image, which runs and loads nothing.
 */
import { z } from 'zod';
import { FRAME_ADDRESSES } from './built-frames.ts';
import type { DiagramTheme } from './diagram-theme.ts';
import { type FormulaBoxes, parseFormula } from './formula-nodes.ts';
import { createSandboxFrame } from './sandbox-frame.ts';

export interface Diagram {
  /** A URL for an image element. */
  readonly address: string;
  readonly width: number;
  readonly height: number;
}

/** A drawing, or why there is none. */
export type DrawResult<T> = { readonly drawing: T } | { readonly fault: string };

const MAX_FORMULA = 8_000;
const MAX_DIAGRAM = 50_000;
/** Maximum number of cached drawings per kind. */
const CACHE_SIZES = { formula: 2_000, diagram: 40 };

const SECOND = 1_000;
const formulaFrame = createSandboxFrame({
  address: FRAME_ADDRESSES.formula,
  title: 'Formulas',
  timeoutMs: 5 * SECOND,
  idleMs: 60 * SECOND,
});
const diagramFrame = createSandboxFrame({
  address: FRAME_ADDRESSES.diagram,
  title: 'Diagrams',
  timeoutMs: 15 * SECOND,
  idleMs: 60 * SECOND,
});

const DiagramShape = z.object({
  svg: z.string().startsWith('<svg').max(2_000_000),
  width: z.number().positive().max(20_000),
  height: z.number().positive().max(20_000),
});
const FaultShape = z.object({ fault: z.string().max(300) });

class Memory<T> {
  readonly #known = new Map<string, DrawResult<T>>();
  readonly #pending = new Map<string, Promise<DrawResult<T>>>();
  readonly #max: number;

  constructor(max: number) {
    this.#max = max;
  }

  known(key: string): DrawResult<T> | undefined {
    const found = this.#known.get(key);
    if (found) {
      this.#known.delete(key);
      this.#known.set(key, found);
    }
    return found;
  }

  get(key: string, draw: () => Promise<DrawResult<T>>): Promise<DrawResult<T>> {
    const before = this.known(key);
    if (before) return Promise.resolve(before);
    const under = this.#pending.get(key);
    if (under) return under;
    const answer = draw().then((drawn) => {
      this.#pending.delete(key);
      this.#known.set(key, drawn);
      for (const oldest of this.#known.keys()) {
        if (this.#known.size <= this.#max) break;
        this.#known.delete(oldest);
      }
      return drawn;
    });
    this.#pending.set(key, answer);
    return answer;
  }
}

const formulas = new Memory<FormulaBoxes>(CACHE_SIZES.formula);
const diagrams = new Memory<Diagram>(CACHE_SIZES.diagram);

function faultOf(answer: unknown): { fault: string } {
  const parsed = FaultShape.safeParse(answer);
  if (parsed.success) return parsed.data;
  return { fault: answer === undefined ? 'Rendering timed out' : 'Couldn’t render this' };
}

const formulaKey = (source: string, isDisplay: boolean) => `${isDisplay}\n${source}`;
const diagramKey = (source: string, look: DiagramTheme) => `${Object.values(look.colors).join()}\n${source}`;

export function knownFormula(source: string, isDisplay: boolean): DrawResult<FormulaBoxes> | undefined {
  return formulas.known(formulaKey(source, isDisplay));
}

export function drawFormula(source: string, isDisplay: boolean): Promise<DrawResult<FormulaBoxes>> {
  if (source.length > MAX_FORMULA) return Promise.resolve({ fault: 'The formula is too long to render' });
  return formulas.get(formulaKey(source, isDisplay), async () => {
    const answer = await formulaFrame.request({ source, isDisplay });
    const drawing = parseFormula(answer);
    return drawing ? { drawing } : faultOf(answer);
  });
}

export function knownDiagram(source: string, look: DiagramTheme): DrawResult<Diagram> | undefined {
  return diagrams.known(diagramKey(source, look));
}

export function drawDiagram(source: string, look: DiagramTheme): Promise<DrawResult<Diagram>> {
  if (source.length > MAX_DIAGRAM) return Promise.resolve({ fault: 'The diagram is too long to render' });
  return diagrams.get(diagramKey(source, look), async () => {
    const answer = await diagramFrame.request({ source, look });
    const parsed = DiagramShape.safeParse(answer);
    if (!parsed.success) return faultOf(answer);
    const { svg, width, height } = parsed.data;
    // A `data:` URL, not a blob: opened on its own it has no origin.
    const address = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
    return { drawing: { address, width: Math.ceil(width), height: Math.ceil(height) } };
  });
}
