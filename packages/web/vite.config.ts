// The page: static files that a strict Content-Security-Policy can serve. Nothing inline, every asset named
// by its content, no code made at run time.
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { drawingFrames } from './drawing-frames.ts';
import { leanMarked } from './lean-marked.ts';
import { leanZod } from './lean-zod.ts';
import { pageFiles } from './page-files.ts';

/** Runs while the rest of the first load is still being read. */
const EARLY = 'src/app/cache-port.ts';

export default defineConfig({
  root: import.meta.dirname,
  base: '/',
  plugins: [react(), drawingFrames(), leanZod(), leanMarked()],
  // Code splitting inside the worker: a language is fetched when it first occurs.
  worker: { format: 'es' },
  build: {
    outDir: '../../dist/web',
    emptyOutDir: true,
    target: ['chrome125', 'firefox126', 'safari17.5'],
    modulePreload: {
      polyfill: false,
      // Style sheets must be there before a chunk draws. The scripts a chunk imports are found by the browser itself:
      // naming them all would cost the first load 2 KB.
      resolveDependencies: (_, files, { hostType }) =>
        hostType === 'html' ? files : files.filter((file) => file.endsWith('.css')),
    },
    // A file of its own for every asset: `data:` addresses would widen the policy.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 600,
    rolldownOptions: {
      output: { codeSplitting: { groups: pageFiles('src/main.tsx', EARLY) } },
    },
  },
});
