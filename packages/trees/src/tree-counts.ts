/** Counts changed files and lines between many pairs of trees with one process. Reads objects only. */
import type { Shadow } from './shadow.ts';

export interface TreeCounts {
  readonly files: number;
  readonly added: number;
  readonly removed: number;
}

export interface TreePair {
  readonly before: string;
  readonly after: string;
}

const MAX_BYTES = 64 * 1024 * 1024;
const TREE = /^[0-9a-f]{40}([0-9a-f]{24})?$/;
const COUNTS = /^(\d+|-)\t(\d+|-)\t/;

/** One result per pair; undefined if one of its trees was deleted. Binary files count without lines. */
export async function countChanges(
  shadow: Shadow,
  pairs: readonly TreePair[],
): Promise<(TreeCounts | undefined)[]> {
  const found = await existingTrees(shadow, [
    ...new Set(pairs.flatMap(({ before, after }) => [before, after])),
  ]);
  const known = pairs.filter(({ before, after }) => found.has(before) && found.has(after));
  const counts = new Map<string, TreeCounts>();
  if (known.length > 0) {
    const input = [...new Set(known.map(({ before, after }) => `${before} ${after}\n`))].join('');
    const args = [
      'diff-tree',
      '--stdin',
      '-r',
      '--numstat',
      '--no-renames',
      '--no-ext-diff',
      '--no-textconv',
    ];
    const { stdout } = await shadow.run(args, { input, maxBytes: MAX_BYTES });
    let key = '';
    for (const line of stdout.toString('latin1').split('\n')) {
      const [, added, removed] = COUNTS.exec(line) ?? [];
      if (added === undefined || removed === undefined) {
        if (line !== '') key = line;
        continue;
      }
      const old = counts.get(key) ?? { files: 0, added: 0, removed: 0 };
      counts.set(key, {
        files: old.files + 1,
        added: old.added + (Number(added) || 0),
        removed: old.removed + (Number(removed) || 0),
      });
    }
  }
  const none = { files: 0, added: 0, removed: 0 };
  return pairs.map((pair) =>
    known.includes(pair) ? (counts.get(`${pair.before} ${pair.after}`) ?? none) : undefined,
  );
}

/** The trees that still exist. */
export async function existingTrees(shadow: Shadow, trees: readonly string[]): Promise<Set<string>> {
  const names = trees.filter((tree) => TREE.test(tree));
  if (names.length === 0) return new Set();
  const input = names.map((tree) => `${tree}\n`).join('');
  const text = await shadow.text(['cat-file', '--batch-check'], { input });
  const lines = text.split('\n').map((line) => line.split(' '));
  return new Set(lines.flatMap(([name = '', kind]) => (kind === 'tree' ? [name] : [])));
}
