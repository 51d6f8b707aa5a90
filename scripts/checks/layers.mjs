// Enforces `layer-table.mjs` for imports by package name and by relative path, including type imports. Also checks
// that a package's package.json lists its imports, that packages import each other by name only, and that code for
// browsers (or pure code) imports no Node module, and that no package imports a module that the table forbids it.
import { existsSync } from 'node:fs';
import { builtinModules } from 'node:module';
import path from 'node:path';
import { importReader } from './imports.mjs';
import { FORBIDDEN, LAYERS, NOT_PRODUCT } from './layer-table.mjs';
import { lineAt, listFiles, readText, verdict } from './tree.mjs';

const SOURCES = /\.(ts|tsx|mts|mjs|js|jsx)$/;
const SCOPE = '@tugdeck/';

/**
 * @typedef {{package: string, unit: string, part: 'src' | 'test' | 'other'}} Place
 * @param {string} root
 * @returns {Promise<import('./tree.mjs').Verdict>}
 */
export async function checkLayers(root) {
  const read = await importReader();
  const files = listFiles(root, ['packages', ...NOT_PRODUCT], SOURCES).filter(
    (f) => !f.includes('/fixtures/'),
  );
  const manifests = new Map();
  /** @param {string} name */
  const listed = (name) => {
    if (!manifests.has(name)) manifests.set(name, dependenciesOf(root, name));
    return manifests.get(name);
  };
  /** @type {string[]} */
  const problems = [];
  for (const file of files) {
    const text = readText(root, file);
    const from = placeOf(file);
    for (const { name, offset } of read(file, text)) {
      const fault = judgeForbidden(file, from, name) ?? judge(file, from, name, listed);
      if (fault) problems.push(`${file}:${lineAt(text, offset)} ${fault}`);
    }
  }
  return verdict(files.length, problems);
}

/** @param {string} file @returns {Place} */
function placeOf(file) {
  const parts = file.split('/');
  if (parts[0] === 'packages') parts.shift();
  const [name = '', part, ...rest] = parts;
  const kind = part === 'src' || part === 'test' ? part : 'other';
  return { package: name, unit: unitOf(name, kind === 'src' ? rest.slice(0, -1) : []), part: kind };
}

/**
 * As deep as the table goes, even where it has no such unit.
 * @param {string} name @param {string[]} folders
 */
function unitOf(name, folders) {
  let unit = name;
  for (const folder of folders) {
    if (!Object.keys(LAYERS).some((known) => known.startsWith(`${unit}/`))) break;
    unit += `/${folder}`;
  }
  return unit;
}

/**
 * @param {string} file
 * @param {Place} from
 * @param {string} name
 * @param {(name: string) => Set<string>} listed
 * @returns {string | null}
 */
function judge(file, from, name, listed) {
  if (name.startsWith('.')) {
    const target = placeOf(path.posix.join(path.posix.dirname(file), name));
    if (target.package !== from.package) {
      // Shared test code has no package name, because packages export their sources only.
      if (from.part === 'test' && target.part === 'test') return null;
      return `reaches into ${target.package} by path (${name}): use its name`;
    }
    if (from.part === 'src' && target.part === 'test') return `a source imports a test (${name})`;
    return judgeUnits(from, target.unit);
  }
  const bare = bareName(name);
  if (name.startsWith('node:') || builtinModules.includes(bare)) {
    const isFree = from.part !== 'src' || (LAYERS[from.package]?.node ?? true);
    return isFree ? null : `${from.package} must not import Node modules (${name})`;
  }
  if (bare.startsWith(SCOPE)) {
    const folders = name
      .slice(bare.length + 1)
      .split('/')
      .slice(0, -1);
    const target = unitOf(bare.slice(SCOPE.length), folders);
    return judgeUnits(from, target) ?? judgeListed(from, bare, listed);
  }
  if (from.package === 'protocol' && from.part === 'src' && bare !== 'zod') {
    return `protocol imports only zod and itself (${name})`;
  }
  return judgeListed(from, bare, listed);
}

/** @param {string} file @param {Place} from @param {string} name */
function judgeForbidden(file, from, name) {
  if (from.part !== 'src') return null;
  const module = builtinModules.includes(name) ? `node:${name}` : name;
  for (const { modules, except = [], why } of FORBIDDEN[from.package] ?? []) {
    const isForbidden = modules.some((one) => module === one || module.startsWith(`${one}/`));
    if (isForbidden && !except.some((path) => file === `packages/${from.package}/src/${path}`))
      return `${from.package} must not import ${name} (${from.package}: ${why})`;
  }
  return null;
}

/** @param {Place} from @param {string} target */
function judgeUnits(from, target) {
  const [owner = ''] = target.split('/');
  if (target === from.unit) return null;
  if (from.part === 'test') {
    // Tests of a package may import anything but other test programs.
    return owner !== 'testkit' && owner !== from.package && NOT_PRODUCT.includes(owner)
      ? `a package's tests must not import ${owner}`
      : null;
  }
  const rule = ruleOf(from.unit);
  if (!rule) return `${from.unit} is not in scripts/checks/layer-table.mjs`;
  if (rule.may === 'everything') return null;
  if (rule.may.some((allowed) => matches(allowed, target))) return null;
  return `${from.unit} must not import ${target} (${from.unit}: ${rule.why})`;
}

/** @param {string} unit */
const ruleOf = (unit) => LAYERS[unit] ?? LAYERS[`${unit.slice(0, unit.lastIndexOf('/'))}/*`];

/** @param {string} allowed @param {string} target */
const matches = (allowed, target) =>
  allowed === target ||
  (allowed.endsWith('/*') && target.startsWith(allowed.slice(0, -1)) && LAYERS[target] === undefined);

/** @param {Place} from @param {string} bare @param {(name: string) => Set<string>} listed */
function judgeListed(from, bare, listed) {
  if (from.part === 'test' || NOT_PRODUCT.includes(from.package) || bare === SCOPE + from.package)
    return null;
  return listed(from.package).has(bare)
    ? null
    : `packages/${from.package}/package.json does not list ${bare}`;
}

/** @param {string} name */
const bareName = (name) =>
  name
    .split('/')
    .slice(0, name.startsWith('@') ? 2 : 1)
    .join('/');

/** @param {string} root @param {string} name */
function dependenciesOf(root, name) {
  const manifest = `packages/${name}/package.json`;
  if (!existsSync(path.join(root, manifest))) return new Set();
  return new Set(Object.keys(JSON.parse(readText(root, manifest)).dependencies ?? {}));
}
