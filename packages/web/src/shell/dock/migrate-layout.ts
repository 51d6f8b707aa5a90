/**
 * Migrates layouts of earlier versions step by step. 1: a terminal at the left; git, files and stats in a column at
 * the right (`rowSplits` of two). 2: the conversation at the left, the terminal on top of that column (`rowSplits`
 * of three). 3: cards in groups. Pure.
 */
import { z } from 'zod';

const split = z.number().gt(0).lt(1);
const collapsed = z.record(z.string(), z.boolean()).optional();
const first = z.object({
  version: z.literal(1),
  colSplit: split,
  rowSplits: z.tuple([split, split]),
  collapsed,
});
const second = z.object({
  version: z.literal(2),
  colSplit: split,
  rowSplits: z.tuple([split, split, split]),
  collapsed,
});

const CONVERSATION_SHARE = 2 / 3;
const COLUMN = ['terminal', 'git', 'files', 'stats'] as const;

/** Anything else is returned unchanged. */
export function migrateLayout(raw: unknown): unknown {
  const one = first.safeParse(raw);
  const two = second.safeParse(one.success ? toSecond(one.data) : raw);
  return two.success ? toThird(two.data) : raw;
}

function toSecond({ rowSplits, ...rest }: z.infer<typeof first>): z.infer<typeof second> {
  const [git, files] = rowSplits.map((bound) => 0.25 + bound * 0.75);
  return {
    ...rest,
    version: 2,
    colSplit: CONVERSATION_SHARE,
    rowSplits: [0.25, git ?? 0.5, files ?? 0.75],
  };
}

/** Old conversation cards had no session; the deck opens the last one. */
function toThird({ colSplit, rowSplits, collapsed: folded = {} }: z.infer<typeof second>): unknown {
  const bounds = [0, ...rowSplits, 1];
  const group = (kind: string) => ({
    type: 'group',
    id: `group-${kind}`,
    cards: [kind],
    front: kind,
    ...(folded[kind] === true ? { isCollapsed: true } : {}),
  });
  return {
    version: 3,
    cards: ['conversation', ...COLUMN].map((kind) => ({ id: kind, kind, params: {} })),
    root: {
      type: 'split',
      direction: 'row',
      sizes: [colSplit, 1 - colSplit],
      children: [
        group('conversation'),
        {
          type: 'split',
          direction: 'column',
          sizes: COLUMN.map((_, at) => (bounds[at + 1] ?? 1) - (bounds[at] ?? 0)),
          children: COLUMN.map(group),
        },
      ],
    },
    active: 'group-conversation',
  };
}
