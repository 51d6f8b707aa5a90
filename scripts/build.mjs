// `npm run build`: bundles each Node program into one file, and builds the page. A program that outlives an
// upgrade (a session host) is in a folder named by its hash, so that a running one never sees its own file change;
// older folders stay until the server finds that no process uses them. `dist/programs.json` lists the paths for
// the cli.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { bundleForNode, NATIVE } from './parts/bundle.mjs';
import { withLock } from './parts/exclusive.mjs';
import { elapsed, ROOT } from './parts/repository.mjs';
import { fingerprintSources, stampBuild } from './parts/sources.mjs';

/**
 * `pinned`: outlives an upgrade. It gets its own folder and may import only Node and the native packages in `needs`,
 * which are loaded at its start, so that replacing them later does no harm. `agent`: one of the catalog's agents,
 * by name.
 * @type {{name: string, entry: string, file: string, pinned?: true, needs?: string[], agent?: true, banner?: string}[]}
 */
const PROGRAMS = [
  {
    name: 'tugdeck',
    entry: 'packages/cli/src/main.ts',
    file: 'tugdeck.mjs',
    banner: '#!/usr/bin/env -S node --single-threaded-gc',
  },
  { name: 'host', entry: 'packages/host/src/main.ts', file: 'host.mjs', pinned: true },
  {
    name: 'starter',
    entry: 'packages/machine/src/hosts/starter-thread.ts',
    file: 'starter.mjs',
    pinned: true,
  },
  { name: 'reader', entry: 'packages/reader/src/main.ts', file: 'reader.mjs' },
  {
    name: 'terminals',
    entry: 'packages/terminal-host/src/main.ts',
    file: 'terminal-host.mjs',
    pinned: true,
    needs: ['@lydell/node-pty'],
  },
  { name: 'keeper', entry: 'packages/keeper/src/main.ts', file: 'keeper.cjs', pinned: true },
  {
    name: 'demo',
    entry: 'packages/demo-agent/src/main.ts',
    file: 'demo-agent.mjs',
    pinned: true,
    agent: true,
  },
];

/** Optional accelerators that `ws` tries to load. */
const TRIED = ['bufferutil', 'utf-8-validate'];

const LATE_IMPORT = /\bimport\s*\((?!\s*["']node:)/;

/** @param {string} root @returns {Promise<boolean>} whether there is something to run */
export async function build(root = ROOT) {
  const since = performance.now();
  const dist = path.join(root, 'dist');
  const sources = fingerprintSources(root);
  mkdirSync(dist, { recursive: true });
  /** @type {Record<string, string>} */
  const programs = {};
  /** @type {Record<string, string>} */
  const agents = {};
  const everything = createHash('sha256');
  for (const program of PROGRAMS) {
    const entry = path.join(root, program.entry);
    if (!existsSync(entry)) {
      console.error(`  ${program.name}: no ${program.entry} yet, left out`);
      continue;
    }
    const { code, where } = await buildProgram(dist, program, entry);
    (program.agent ? agents : programs)[program.name] = where;
    everything.update(code);
    console.error(`  ${where}  ${Math.round(code.length / 1024)} KB`);
  }
  if (existsSync(path.join(root, 'packages/web/index.html'))) {
    everything.update(await buildPage(root, dist));
    programs.web = 'web';
    console.error('  web');
  } else console.error('  web: no packages/web/index.html yet, left out');
  programs.build = everything.digest('hex').slice(0, 12);
  if (programs.web) nameBuild(path.join(dist, 'web/index.html'), programs.build);
  replaceFile(path.join(dist, 'programs.json'), `${JSON.stringify({ ...programs, agents }, null, 2)}\n`);
  stampBuild(dist, sources);
  console.error(`Built in ${elapsed(since)}.`);
  return 'tugdeck' in programs;
}

/**
 * Removes all folders of pinned programs except those of this build: for a package, whose files nobody runs yet.
 * @param {string} dist
 */
export function pruneForPackage(dist) {
  const { agents = {}, ...programs } = JSON.parse(readFileSync(path.join(dist, 'programs.json'), 'utf8'));
  const used = [...Object.values(programs), ...Object.values(agents)].map((where) => path.dirname(where));
  for (const { name } of PROGRAMS.filter(({ pinned }) => pinned)) {
    const folder = path.join(dist, name);
    for (const version of existsSync(folder) ? readdirSync(folder) : []) {
      if (!used.includes(`${name}/${version}`)) rmSync(path.join(folder, version), { recursive: true });
    }
  }
  // Left over from earlier builds.
  rmSync(path.join(dist, 'server.mjs'), { force: true });
}

/** @param {string} dist @param {(typeof PROGRAMS)[number]} program @param {string} entry */
async function buildProgram(dist, program, entry) {
  const { code, left } = await bundleForNode(entry, {
    root: path.dirname(dist),
    external: (id) => TRIED.includes(id) || NATIVE.includes(id),
    banner: program.banner ?? '',
    format: program.file.endsWith('.cjs') ? 'cjs' : 'esm',
  });
  if (program.pinned) {
    const needed = left.filter((id) => NATIVE.includes(id) && !program.needs?.includes(id));
    if (needed.length > 0) throw new Error(`${program.entry} outlives upgrades and must not need ${needed}`);
    if (LATE_IMPORT.test(code))
      throw new Error(`${program.entry} outlives upgrades: no import() at run time`);
  }
  const folder = program.pinned ? `${program.name}/${contentHash(code)}/` : '';
  const where = folder + program.file;
  mkdirSync(path.join(dist, folder), { recursive: true });
  replaceFile(path.join(dist, where), code, program.banner ? 0o755 : 0o644);
  return { code, where };
}

/**
 * Builds the page beside the old one and swaps them at the end, so that a running server never serves a partial page.
 * @param {string} root
 * @param {string} dist
 */
async function buildPage(root, dist) {
  const web = path.join(root, 'packages/web');
  const fromWeb = createRequire(path.join(web, 'package.json'));
  const entry = path.join(path.dirname(fromWeb.resolve('vite/package.json')), 'dist/node/index.js');
  const vite = await import(pathToFileURL(entry).href);
  const page = path.join(dist, 'web');
  const next = `${page}-next`;
  const old = `${page}-old`;
  const modules = new Set();
  await vite.build({
    root: web,
    logLevel: 'warn',
    build: { outDir: next, emptyOutDir: true, reportCompressedSize: false, chunkSizeWarningLimit: 2_000 },
    plugins: [moduleList(root, modules)],
  });
  await buildWorker(vite, web, next, moduleList(root, modules));
  rmSync(old, { recursive: true, force: true });
  if (existsSync(page)) renameSync(page, old);
  renameSync(next, page);
  rmSync(old, { recursive: true, force: true });
  writeFileSync(path.join(dist, 'web-modules.json'), `${JSON.stringify([...modules].sort(), null, 2)}\n`);
  const hash = createHash('sha256');
  for (const file of readdirSync(page, { recursive: true, withFileTypes: true })) {
    if (file.isFile()) hash.update(file.name).update(readFileSync(path.join(file.parentPath, file.name)));
  }
  return hash.digest('hex');
}

/**
 * The service worker is a separate classic script, because not every browser runs modules there.
 * @param {{build: (config: object) => Promise<unknown>}} vite @param {string} web @param {string} out
 * @param {object} plugin
 */
async function buildWorker(vite, web, out, plugin) {
  await vite.build({
    root: web,
    configFile: false,
    publicDir: false,
    logLevel: 'warn',
    plugins: [plugin],
    build: {
      outDir: out,
      emptyOutDir: false,
      reportCompressedSize: false,
      target: ['chrome125', 'firefox126', 'safari17.5'],
      lib: { entry: 'src/worker/worker.ts', formats: ['iife'], name: 'worker', fileName: () => 'worker.js' },
    },
  });
}

/** Writes the build id into the page, so that the server can tell when a newer one exists (H10). */
function nameBuild(/** @type {string} */ file, /** @type {string} */ name) {
  const html = readFileSync(file, 'utf8');
  replaceFile(file, html.replace('</head>', `<meta name="tugdeck-build" content="${name}" /></head>`));
}

/** Lists the modules of the page, for the check that it contains no server code. */
function moduleList(/** @type {string} */ root, /** @type {Set<string>} */ modules) {
  return {
    name: 'tugdeck-module-list',
    /** @param {unknown} _ @param {Record<string, {type: string, moduleIds?: string[]}>} bundle */
    generateBundle(_, bundle) {
      for (const part of Object.values(bundle)) {
        for (const id of part.moduleIds ?? []) modules.add(path.relative(root, id).split(path.sep).join('/'));
      }
    },
  };
}

/** @param {string} code */
const contentHash = (code) => createHash('sha256').update(code).digest('hex').slice(0, 12);

/** Replaces the file atomically: another process may be about to read it. */
function replaceFile(/** @type {string} */ file, /** @type {string} */ text, mode = 0o644) {
  writeFileSync(`${file}.next`, text, { mode });
  renameSync(`${file}.next`, file);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const ran = await withLock('build', () => build()).catch((error) => {
    console.error(`Build failed: ${error.stack ?? error}`);
    return false;
  });
  if (ran && process.env.npm_lifecycle_event === 'prepack') pruneForPackage(path.join(ROOT, 'dist'));
  process.exitCode = ran ? 0 : 1;
}
