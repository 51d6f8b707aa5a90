/** A copy of this program with the packages it needs, which runs on a machine of the same system without npm. */
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { PACKAGE_ROOT } from '../install.ts';

interface PackageFile {
  readonly files?: readonly string[];
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

export interface PackageCopy {
  readonly folder: string;
  remove(): void;
}

export function copyPackage(root: string = PACKAGE_ROOT): PackageCopy {
  const folder = mkdtempSync(join(tmpdir(), 'tugdeck-package-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  try {
    for (const name of ['package.json', ...(read(root).files ?? ['dist'])]) {
      if (existsSync(join(root, name))) cpSync(join(root, name), join(folder, name), { recursive: true });
    }
    copyDependencies(realpathSync(root), folder, new Map());
    return { folder, remove };
  } catch (error) {
    remove();
    throw error;
  }
}

/** `at`: where each package is in the copy, by its folder here. Two versions of one package are both kept. */
function copyDependencies(from: string, to: string, at: Map<string, string>, root = to): void {
  const { dependencies = {}, optionalDependencies = {} } = read(from);
  for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
    const found = findPackage(name, from);
    // Optional packages are those of other systems.
    if (found === undefined) {
      if (Object.hasOwn(optionalDependencies, name)) continue;
      throw new Error(`${name} is not installed`);
    }
    if (at.has(found)) continue;
    const shared = join(root, 'node_modules', name);
    const target = existsSync(shared) ? join(to, 'node_modules', name) : shared;
    at.set(found, target);
    mkdirSync(dirname(target), { recursive: true });
    cpSync(found, target, {
      recursive: true,
      dereference: true,
      filter: (path) => path === found || basename(path) !== 'node_modules',
    });
    copyDependencies(found, target, at, root);
  }
}

function findPackage(name: string, from: string): string | undefined {
  for (let folder = from; ; folder = dirname(folder)) {
    const found = join(folder, 'node_modules', name);
    if (existsSync(join(found, 'package.json'))) return realpathSync(found);
    if (dirname(folder) === folder) return undefined;
  }
}

function read(folder: string): PackageFile {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as PackageFile;
}
