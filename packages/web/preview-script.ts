/** Builds the script that the preview proxy inserts into shown documents (W7), as a separate file without imports. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { type Plugin, transformWithOxc } from 'vite';

const FILE = path.join(import.meta.dirname, 'src/features/preview/frame/preview-frame.ts');

export function previewScript(): Plugin {
  return {
    name: 'tugdeck-preview-script',
    apply: 'build',
    async generateBundle() {
      const { code } = await transformWithOxc(await readFile(FILE, 'utf8'), FILE);
      // A classic script: it finds its own element, and the app's modules run after it.
      const source = code.replace(/^export \{\s*\};?$/m, '');
      this.emitFile({ type: 'asset', fileName: 'preview/frame.js', source });
    },
  };
}
