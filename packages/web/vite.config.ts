// Builds the page as static files for a strict CSP: nothing inline, assets with content hashes, no generated code.
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { drawingFrames } from './drawing-frames.ts';
import { pageFiles } from './page-files.ts';
import { preloadFonts } from './preload-fonts.ts';
import { previewScript } from './preview-script.ts';

/** Runs while the rest of the first load is still loading. */
const EARLY = 'src/kit/cache-port.ts';

export default defineConfig({
  root: import.meta.dirname,
  base: '/',
  plugins: [react(), drawingFrames(), preloadFonts(), previewScript()],
  // Code splitting inside the worker: a grammar is loaded with the first code in its language.
  worker: { format: 'es' },
  build: {
    outDir: '../../dist/web',
    emptyOutDir: true,
    target: ['chrome125', 'firefox126', 'safari17.5'],
    modulePreload: {
      polyfill: false,
      // Style sheets must be loaded before a chunk renders. The browser finds a chunk's script imports itself:
      // listing them would add 2 KB to the first load.
      resolveDependencies: (_, files, { hostType }) =>
        hostType === 'html' ? files : files.filter((file) => file.endsWith('.css')),
    },
    // Every asset is a separate file: `data:` URLs would widen the CSP.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 600,
    rolldownOptions: {
      output: { codeSplitting: { groups: pageFiles('src/main.tsx', EARLY) } },
    },
  },
});
