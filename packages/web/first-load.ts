/**
 * Everything the page needs to draw at once, in one file: split by who shares it, the same code would be a dozen files
 * that compress worse. What is imported later stays apart.
 */
import path from 'node:path';

interface Graph {
  getModuleInfo(id: string): { readonly importedIds: readonly string[] } | null;
}

/** For an entry of this package: the name of a module's file, for the bundler; null leaves it to the bundler. */
export function firstLoad(entry: string): (id: string, graph: Graph) => string | null {
  const main = path
    .join(import.meta.dirname, entry)
    .split(path.sep)
    .join('/');
  let known: { readonly graph: Graph; readonly ids: ReadonlySet<string> } | undefined;
  return (id, graph) => {
    if (known?.graph !== graph) known = { graph, ids: reached(graph, main) };
    return known.ids.has(id) ? 'first' : null;
  };
}

function reached(graph: Graph, main: string): ReadonlySet<string> {
  const ids = new Set<string>();
  const left = [main];
  for (let id = left.pop(); id !== undefined; id = left.pop()) {
    const info = ids.has(id) ? null : graph.getModuleInfo(id);
    if (!info) continue;
    ids.add(id);
    left.push(...info.importedIds);
  }
  return ids;
}
