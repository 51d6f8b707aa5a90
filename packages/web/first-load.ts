/**
 * Everything the page needs to draw at once, in one file: split by who shares it, the same code would be a dozen files
 * that compress worse. What is imported later stays apart.
 */
import path from 'node:path';

interface Graph {
  getModuleInfo(id: string): { readonly importedIds: readonly string[] } | null;
}

/**
 * For an entry of this package: the name of a module's file, for the bundler; null leaves it to the bundler. `early` is
 * what of it runs before the rest is read.
 */
export function firstLoad(entry: string, early?: string): (id: string, graph: Graph) => string | null {
  let known:
    | { readonly graph: Graph; readonly early: ReadonlySet<string>; readonly all: ReadonlySet<string> }
    | undefined;
  return (id, graph) => {
    if (known?.graph !== graph) {
      known = { graph, early: reached(graph, early && idOf(early)), all: reached(graph, idOf(entry)) };
    }
    if (known.early.has(id)) return 'early';
    return known.all.has(id) ? 'first' : null;
  };
}

function idOf(name: string): string {
  return path
    .join(import.meta.dirname, name)
    .split(path.sep)
    .join('/');
}

function reached(graph: Graph, main: string | undefined): ReadonlySet<string> {
  const ids = new Set<string>();
  const left = main === undefined ? [] : [main];
  for (let id = left.pop(); id !== undefined; id = left.pop()) {
    const info = ids.has(id) ? null : graph.getModuleInfo(id);
    if (!info) continue;
    ids.add(id);
    left.push(...info.importedIds);
  }
  return ids;
}
