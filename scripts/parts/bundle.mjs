// The only caller of the bundler for Node programs: TypeScript in, one plain file out. The product
// (`build.mjs`) and the tools (`run-ts.mjs`) share the settings and differ in what stays external.
import { builtinModules, createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { ROOT } from './repository.mjs';

/** Packages with native binaries stay dependencies of the installed package. */
export const NATIVE = ['libsql', '@lydell/node-pty', '@parcel/watcher'];

/** The bundler is a dependency of the cli package; npm may place it there or at the root. */
const fromCli = createRequire(path.join(ROOT, 'packages/cli/package.json'));

/** @returns {Promise<typeof import('rolldown')>} */
export async function loadRolldown() {
  return import(pathToFileURL(fromCli.resolve('rolldown')).href);
}

/** @returns {Promise<typeof import('rolldown/parseAst')>} */
export async function loadParser() {
  return import(pathToFileURL(fromCli.resolve('rolldown/parseAst')).href);
}

/** @param {string} id */
const isBuiltin = (id) => id.startsWith('node:') || builtinModules.includes(id);

/**
 * `left`: the packages that the file still imports or requires at run time. `root`: the base of paths in the output,
 * which must not depend on the working directory. `format`: CommonJS loads in two thirds of the CPU time of an empty ESM file.
 * @typedef {{root: string, external: (id: string) => boolean, banner?: string, format?: 'esm' | 'cjs',
 *   plugins?: import('rolldown').Plugin[]}} Options
 * @param {string} entry
 * @param {Options} options
 * @returns {Promise<{code: string, left: string[]}>}
 */
export async function bundleForNode(entry, { root, external, banner = '', format = 'esm', plugins = [] }) {
  const { rolldown } = await loadRolldown();
  /** @type {Set<string>} */
  const left = new Set();
  const bundle = await rolldown({
    input: entry,
    cwd: root,
    platform: 'node',
    external(id) {
      if (isBuiltin(id)) return true;
      if (!external(id)) return false;
      left.add(id);
      return true;
    },
    onLog(level, log, pass) {
      // It would otherwise become an import that fails on the user's machine.
      if (log.code === 'UNRESOLVED_IMPORT') throw new Error(log.message);
      if (level === 'warn') pass(level, log);
    },
    plugins,
  });
  try {
    const { output } = await bundle.generate({
      format,
      codeSplitting: false,
      minify: false,
      comments: { legal: true, annotation: false, jsdoc: false },
      banner,
    });
    const [chunk, ...others] = output;
    if (others.length > 0)
      throw new Error(`${entry}: expected one file, got ${output.map((o) => o.fileName)}`);
    return { code: chunk.code, left: [...left] };
  } finally {
    await bundle.close();
  }
}
