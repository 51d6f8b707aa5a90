/** The size of the first load: the page's script and its static imports. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';

const web = fileURLToPath(new URL('../dist/web/', import.meta.url));
/** `import … from "./x.js"` and `import "./x.js"`, not `import("./x.js")`. */
const STATIC = /\b(?:import|from)\s*["']\.\/([\w.-]+\.js)["']/g;
/** `import("./x.js")`. */
const DYNAMIC = /\bimport\(\s*["'`]\.\/([\w.-]+\.js)["'`]\s*\)/g;
const MOST = 300 * 1024;

test('D5 the first load is at most 300 KB of script, gzipped', () => {
  const page = readFileSync(join(web, 'index.html'), 'utf8');
  const wanted = [...page.matchAll(/(?:src|href)="\/assets\/([\w.-]+\.js)"/g)].map(([, name]) => name ?? '');
  expect(wanted.length).toBeGreaterThan(0);
  const sizes = new Map<string, number>();
  for (let name = wanted.pop(); name !== undefined; name = wanted.pop()) {
    if (sizes.has(name)) continue;
    const code = readFileSync(join(web, 'assets', name), 'utf8');
    sizes.set(name, gzipSync(code, { level: 9 }).length);
    for (const [, next] of code.matchAll(STATIC)) if (next) wanted.push(next);
  }
  const all = [...sizes.values()].reduce((sum, size) => sum + size, 0);
  console.info(`first load: ${all} bytes in ${sizes.size} files`);
  expect(all, [...sizes].map((part) => part.join(' ')).join('\n')).toBeLessThan(MOST);
});

test('D8 both fonts are preloaded, at most 100 KB together', () => {
  const page = readFileSync(join(web, 'index.html'), 'utf8');
  const fonts = [...page.matchAll(/<link rel="preload" href="\/(assets\/[\w.-]+\.woff2)" as="font"/g)];
  const sizes = fonts.map(([, name = '']) => readFileSync(join(web, name)).length);
  expect(sizes.length).toBe(2);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(100 * 1024);
});

test('D5 the first load fetches no small scripts later: they are bundled', () => {
  const assets = join(web, 'assets');
  const first = readdirSync(assets).filter((name) => /^first-[\w-]+\.js$/.test(name));
  expect(first.length).toBe(1);
  const code = readFileSync(join(assets, first[0] ?? ''), 'utf8');
  const later = [...new Set([...code.matchAll(DYNAMIC)].map(([, name]) => name ?? ''))];
  expect(later.length).toBeGreaterThan(5);
  const crumbs = later.filter((name) => readFileSync(join(assets, name)).length < 2_000);
  // The highlighter's starter: fetched with its worker, when the first code block is drawn.
  expect(crumbs.filter((name) => !name.startsWith('paint-code-'))).toEqual([]);
});
