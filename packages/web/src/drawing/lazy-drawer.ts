/**
 * What the page holds of drawing from the start: which blocks are drawn, and the way to the drawer, which is fetched
 * when the first of them occurs. Once it is there everything goes to it at once, so that a row drawn again does not move.
 */
import type { CodeBlock } from '../markdown/code-block.ts';
import type { Drawer } from './drawer.ts';

type DrawerModule = typeof import('./drawer.ts');

const KINDS: Readonly<Record<string, 'formula' | 'diagram'>> = {
  math: 'formula',
  latex: 'formula',
  mermaid: 'diagram',
};

let loaded: DrawerModule | undefined;
let loading: Promise<DrawerModule> | undefined;

export interface LazyDrawer {
  /** False for a block that is nothing to draw. */
  drawBlock(block: CodeBlock): boolean;
  drawInline(spans: readonly HTMLElement[]): void;
  end(): void;
}

export function createLazyDrawer(): LazyDrawer {
  let drawer: Drawer | undefined;
  let isOver = false;
  const withDrawer = (work: (drawer: Drawer) => void) => {
    const use = (module: DrawerModule) => {
      loaded = module;
      if (isOver) return;
      drawer ??= module.createDrawer();
      work(drawer);
    };
    if (loaded) use(loaded);
    else {
      loading ??= import('./drawer.ts');
      // Without it (offline) sources stay sources; the next one tries again.
      loading.then(use).catch(() => {
        loading = undefined;
      });
    }
  };
  return {
    drawBlock(block) {
      const kind = KINDS[block.language.toLowerCase()];
      if (kind === undefined) return false;
      withDrawer((drawer) => drawer.drawBlock(block, kind));
      return true;
    },
    drawInline(spans) {
      if (spans.length > 0)
        withDrawer((drawer) => {
          for (const span of spans) drawer.drawInline(span);
        });
    },
    end() {
      isOver = true;
      drawer?.end();
    },
  };
}
