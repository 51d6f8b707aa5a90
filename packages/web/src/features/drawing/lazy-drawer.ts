/**
 * The part of drawing in the first load: decides which blocks are drawn, and loads the drawer with the first of
 * them. Once loaded, it is called directly, so that a row rendered again does not move.
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
  /** Returns false for blocks that are not drawings. */
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
      // Offline, sources stay as text; the next block tries again.
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
