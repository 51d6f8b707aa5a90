/**
 * Names the files that the page's modules are bundled into. The first load is one file, and so are the parts fetched
 * soon after it: split by importer they would be 75 files of a few hundred bytes, which compress worse and each cost a
 * request on every reload. Cards, grammars and other large parts stay separate.
 */
import path from 'node:path';

interface ModuleLinks {
  readonly importedIds: readonly string[];
  readonly dynamicallyImportedIds: readonly string[];
}
interface Graph {
  getModuleInfo(id: string): ModuleLinks | null;
}

/** Parts that the first load imports later, by folder. */
const LATER: Readonly<Record<string, readonly string[]>> = {
  shell: ['src/shell/', 'src/ui/', 'src/features/trust/', 'src/cards/home/', 'src/cards/inbox/'],
  conversation: [
    'src/cards/conversation/',
    'src/features/attachments/',
    'src/features/entries/',
    'src/features/requests/',
    'src/features/restore/',
    'src/features/tool-results/',
  ],
};

interface FileGroup {
  readonly name: (id: string, graph: Graph) => string | null;
  /** Without it the bundler prints a sentence about its own settings. */
  readonly debugName: string;
}

/**
 * The bundler's groups for this package's `entry`. A module belongs to the first group that has it. `early` is the
 * module of the first load that runs before the rest is read.
 */
export function pageFiles(entry: string, early?: string): FileGroup[] {
  const first = (graph: Graph) => reachable(graph, [idOf(entry)]);
  const later = (folders: readonly string[]) => (graph: Graph) => {
    const prefixes = folders.map(idOf);
    const imported = [...first(graph)].flatMap((id) => graph.getModuleInfo(id)?.dynamicallyImportedIds ?? []);
    return reachable(
      graph,
      imported.filter((id) => prefixes.some((prefix) => id.startsWith(prefix))),
    );
  };
  return [
    ...(early === undefined ? [] : [group('early', (graph) => reachable(graph, [idOf(early)]))]),
    group('first', first),
    ...Object.entries(LATER).map(([file, folders]) => group(file, later(folders))),
  ];
}

function group(file: string, modules: (graph: Graph) => ReadonlySet<string>): FileGroup {
  let known: { readonly graph: Graph; readonly ids: ReadonlySet<string> } | undefined;
  return {
    debugName: file,
    name: (id, graph) => {
      if (known?.graph !== graph) known = { graph, ids: modules(graph) };
      return known.ids.has(id) ? file : null;
    },
  };
}

function idOf(name: string): string {
  return path
    .join(import.meta.dirname, name)
    .split(path.sep)
    .join('/');
}

function reachable(graph: Graph, from: readonly string[]): ReadonlySet<string> {
  const ids = new Set<string>();
  const left = [...from];
  for (let id = left.pop(); id !== undefined; id = left.pop()) {
    const info = ids.has(id) ? null : graph.getModuleInfo(id);
    if (!info) continue;
    ids.add(id);
    left.push(...info.importedIds);
  }
  return ids;
}
