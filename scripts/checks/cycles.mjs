// Finds files that import each other in a circle, within a package. Type imports and lazy imports count: a reader
// follows them too, and a file in a circle cannot be understood, moved or tested without the others.
import path from 'node:path';
import { importReader } from './imports.mjs';
import { lineAt, listFiles, readText, verdict } from './tree.mjs';

const SOURCES = /^packages\/[^/]+\/src\/.*\.(ts|tsx|mts|mjs|js|jsx)$/;

/**
 * @typedef {Map<string, Map<string, number>>} Graph file -> imported file -> line
 * @param {string} root
 * @returns {Promise<import('./tree.mjs').Verdict>}
 */
export async function checkCycles(root) {
  const read = await importReader();
  const files = listFiles(root, ['packages'], SOURCES);
  const known = new Set(files);
  /** @type {Graph} */
  const graph = new Map();
  for (const file of files) {
    const text = readText(root, file);
    const imports = new Map();
    for (const { name, offset } of read(file, text)) {
      const target = path.posix.join(path.posix.dirname(file), name);
      if (name.startsWith('.') && known.has(target)) imports.set(target, lineAt(text, offset));
    }
    graph.set(file, imports);
  }
  return verdict(files.length, circles(graph).map(describe));

  /** @param {string[]} circle */
  function describe(circle) {
    const [first = ''] = circle;
    const line = graph.get(first)?.get(circle[1] ?? first) ?? 1;
    return `${first}:${line} imports itself: ${[...circle.slice(1), first].join(' -> ')}`;
  }
}

/**
 * One shortest circle for each group of files that reach each other.
 * @param {Graph} graph
 */
function circles(graph) {
  /** @type {string[][]} */
  const found = [];
  const reported = new Set();
  for (const file of graph.keys()) {
    if (reported.has(file)) continue;
    const circle = shortestCircle(graph, file);
    if (!circle) continue;
    found.push(circle);
    for (const member of graph.keys())
      if (reaches(graph, file, member) && reaches(graph, member, file)) reported.add(member);
  }
  return found;
}

/** @param {Graph} graph @param {string} start */
function shortestCircle(graph, start) {
  /** @type {Map<string, string>} */
  const cameFrom = new Map();
  const queue = [start];
  for (const file of queue) {
    for (const next of graph.get(file)?.keys() ?? []) {
      if (next === start) {
        const circle = [file];
        for (let at = file; at !== start; ) {
          at = cameFrom.get(at) ?? start;
          circle.unshift(at);
        }
        return circle;
      }
      if (cameFrom.has(next)) continue;
      cameFrom.set(next, file);
      queue.push(next);
    }
  }
  return undefined;
}

/** @param {Graph} graph @param {string} from @param {string} to */
function reaches(graph, from, to) {
  const seen = new Set([from]);
  const queue = [from];
  for (const file of queue) {
    for (const next of graph.get(file)?.keys() ?? []) {
      if (next === to) return true;
      if (!seen.has(next)) {
        seen.add(next);
        queue.push(next);
      }
    }
  }
  return false;
}
