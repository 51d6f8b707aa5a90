/**
 * Builds the pages that draw formulas and diagrams: each is a single file with its library and script inline. A
 * sandboxed page has no origin and no cookie, so it cannot load our files. The file name contains the hash of the
 * script, and the server's CSP for it allows only this script.
 */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { type Plugin, transformWithOxc } from 'vite';

/** The module whose values are generated here. */
const BUILT = path.join(import.meta.dirname, 'src/features/drawing/built-frames.ts');
const FRAMES = [
  { frame: 'formula', library: 'katex/dist/katex.min.js' },
  { frame: 'diagram', library: 'mermaid/dist/mermaid.min.js' },
];
const { resolve } = createRequire(import.meta.url);

export function drawingFrames(): Plugin {
  return {
    name: 'tugdeck-drawing-frames',
    async load(id) {
      if (path.normalize(id) !== BUILT) return undefined;
      const addresses: Record<string, string> = {};
      for (const { frame, library } of FRAMES) {
        const { fileName, source } = await framePage(frame, library);
        this.emitFile({ type: 'asset', fileName, source });
        addresses[frame] = `/${fileName}`;
      }
      const css = await readFile(resolve('katex/dist/katex.min.css'), 'utf8');
      return `export const FRAME_ADDRESSES = ${JSON.stringify(addresses)};
export const FORMULA_CLASSES = ${JSON.stringify(classesOf(css))};`;
    },
    // All supported browsers read the first of the three formats of each font.
    transform(code, id) {
      if (!id.includes('katex.min.css')) return undefined;
      return { code: code.replaceAll(/,url\([^)]*\) format\("(?:woff|truetype)"\)/g, ''), map: null };
    },
  };
}

async function framePage(frame: string, library: string): Promise<{ fileName: string; source: string }> {
  const file = path.join(import.meta.dirname, `src/features/drawing/frames/${frame}-frame.ts`);
  const { code } = await transformWithOxc(await readFile(file, 'utf8'), file);
  const own = code.replace(/^export \{\s*\};?$/m, '');
  const script = inlined(`${await readFile(resolve(library), 'utf8')}\n{\n${own}\n}\n`);
  const hash = createHash('sha256').update(script).digest('base64url');
  const source = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${frame}</title></head>
<body><script>${script}</script></body></html>
`;
  return { fileName: `drawing/${frame}.${hash}.html`, source };
}

/** Escapes text that would end or change the script element; it occurs in strings only. */
function inlined(script: string): string {
  const safe = script.replaceAll('<!--', '<\\x21--').replaceAll(/<\/(script)/gi, '<\\/$1');
  if (/[\0\r]/.test(safe)) throw new Error('a browser would read this script otherwise than it was hashed');
  return safe;
}

function classesOf(css: string): string[] {
  const plain = css.replaceAll(/url\([^)]*\)/g, '');
  return [...new Set([...plain.matchAll(/\.([a-zA-Z][\w-]*)/g)].map(([, name = '']) => name))];
}
