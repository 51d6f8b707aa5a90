/**
 * Loads the painter when the first code block closes. Once loaded, blocks are painted at once, so that a row
 * rendered again does not flash.
 */
import type { CodeBlock } from '../markdown/code-block.ts';
import type { Painter } from './paint-code.ts';

type PainterModule = typeof import('./paint-code.ts');

let loaded: PainterModule | undefined;
let loading: Promise<PainterModule> | undefined;

export function createLazyPainter(): Painter {
  let painter: Painter | undefined;
  let isOver = false;
  const paintWith = (module: PainterModule, block: CodeBlock) => {
    loaded = module;
    if (isOver) return;
    painter ??= module.createPainter();
    painter.paint(block);
  };
  return {
    paint(block) {
      if (loaded) paintWith(loaded, block);
      else {
        loading ??= import('./paint-code.ts');
        // Offline, code stays uncolored; the next block tries again.
        loading
          .then((module) => paintWith(module, block))
          .catch(() => {
            loading = undefined;
          });
      }
    },
    end() {
      isOver = true;
      painter?.end();
    },
  };
}
