// `node scripts/notice.mjs` writes NOTICE: the licenses of everything in our bundles. `npm run check` compares it
// (see `checks/notice-file.mjs`). Build tools are not shipped and not listed.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { ROOT } from './parts/repository.mjs';

const BUILD_TOOLS = new Set(['rolldown', 'vite', '@vitejs/plugin-react']);
const OWN = '@tugdeck/';
const HEAD = `Tugdeck contains the following third-party software, under the licenses given with each.
Written by scripts/notice.mjs.
`;

/** @typedef {{version: string, license?: string, dependencies?: Record<string, string>}} Locked */

/** @param {string} root @returns {string} */
export function composeNotice(root) {
  /** @type {Record<string, Locked>} */
  const locked = JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8')).packages;
  /** @type {Map<string, string[]>} text of a license → packages under it */
  const texts = new Map();
  for (const where of [...shippedPlaces(locked)].sort()) {
    const { title, text } = licenseOf(path.join(root, where), where);
    texts.set(text, [...(texts.get(text) ?? []), title]);
  }
  const parts = [...texts].map(([text, titles]) => `${titles.sort().join('\n')}\n\n${text}\n`);
  return [HEAD, ...parts].join(`\n${'-'.repeat(72)}\n\n`);
}

/** @param {Record<string, Locked>} locked */
function shippedPlaces(locked) {
  /** @type {Set<string>} */
  const places = new Set();
  /** @param {string} from @param {string} name */
  const add = (from, name) => {
    const where = resolvePlace(locked, from, name);
    if (where === null || places.has(where)) return;
    places.add(where);
    for (const next of Object.keys(locked[where]?.dependencies ?? {})) add(where, next);
  };
  for (const [where, { dependencies = {} }] of Object.entries(locked)) {
    if (!/^packages\/[^/]+$/.test(where)) continue;
    for (const name of Object.keys(dependencies)) {
      if (!BUILD_TOOLS.has(name) && !name.startsWith(OWN)) add(where, name);
    }
  }
  return places;
}

/** Node's own resolution: from the package's folder upwards. */
function resolvePlace(
  /** @type {Record<string, Locked>} */ locked,
  /** @type {string} */ from,
  /** @type {string} */ name,
) {
  for (let folder = from; ; folder = path.posix.dirname(folder)) {
    const where = folder === '.' || folder === '' ? `node_modules/${name}` : `${folder}/node_modules/${name}`;
    if (locked[where]) return where;
    if (folder === '.' || folder === '') return null;
  }
}

/** @param {string} folder @param {string} where */
function licenseOf(folder, where) {
  const manifest = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'));
  const named = typeof manifest.license === 'string' ? manifest.license : manifest.license?.type;
  const file = readdirSync(folder)
    .sort()
    .find((name) => /^licen[cs]e(-mit)?(\.\w+)?$/i.test(name));
  if (!named && !file) throw new Error(`${where} states no license`);
  const license = named ?? 'as its text says';
  const text = file
    ? readFileSync(path.join(folder, file), 'utf8')
        .replace(/\r/g, '')
        .replace(/[ \t]+$/gm, '')
        .trim()
    : `License: ${license}. ${authorOf(manifest)}`.trim();
  return { title: `${manifest.name} ${manifest.version} (${license})`, text };
}

/** @param {{author?: string | {name?: string}}} manifest */
const authorOf = ({ author }) => (typeof author === 'string' ? author : (author?.name ?? ''));

/** @param {string} root */
export const noticeFile = (root) => path.join(root, 'NOTICE');

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (!existsSync(path.join(ROOT, 'node_modules'))) throw new Error('install first');
  writeFileSync(noticeFile(ROOT), composeNotice(ROOT));
}
