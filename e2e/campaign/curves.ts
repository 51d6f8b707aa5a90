/**
 * Memory and descriptors of the product's processes over time, by kind, and a drawing of them. Reads /proc; a process
 * that exits while it is read is left out.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { childrenOf, commandOf, isAlive } from '@tugdeck/testkit/process-facts';
import type { Deck } from '../deck.ts';

export const KINDS = ['server', 'reader', 'host', 'agent', 'terminals'] as const;
export type Kind = (typeof KINDS)[number];

export interface Figures {
  readonly count: number;
  /** Mean and largest process, in MB. */
  readonly memory: number;
  readonly most: number;
  readonly descriptors: number;
  readonly mostDescriptors: number;
}

export interface Sample {
  /** Seconds since the beginning. */
  readonly at: number;
  readonly kinds: Readonly<Partial<Record<Kind, Figures>>>;
  /** Total, in MB, with shared pages counted once. */
  readonly total: number;
}

const PAGE_SIZE = 4096;
const MB = 1024 * 1024;

export function pidsOf(deck: Deck): Readonly<Record<Kind, readonly number[]>> {
  const of = (purpose: 'host' | 'agent' | 'terminals') =>
    deck.records(purpose).map(({ identity }) => identity.pid);
  // A bridge may have started the server of another machine.
  const server = deck.records('server').map(({ identity }) => identity.pid);
  const reader = server
    .filter(isAlive)
    .flatMap((pid) => childrenOf(pid).filter((child) => commandOf(child).includes('reader')));
  return {
    server,
    reader,
    host: of('host'),
    agent: of('agent'),
    terminals: of('terminals'),
  };
}

export function sample(deck: Deck, at: number): Sample {
  const pids = pidsOf(deck);
  const kinds: Partial<Record<Kind, Figures>> = {};
  let total = 0;
  for (const kind of KINDS) {
    const found = pids[kind].flatMap((pid) => {
      const one = look(pid);
      return one ? [one] : [];
    });
    if (found.length === 0) continue;
    total += found.reduce((sum, { own }) => sum + own, 0);
    const mean = (of: (one: Look) => number) => found.reduce((sum, one) => sum + of(one), 0) / found.length;
    kinds[kind] = {
      count: found.length,
      memory: rounded(mean(({ memory }) => memory)),
      most: rounded(Math.max(...found.map(({ memory }) => memory))),
      descriptors: rounded(mean(({ descriptors }) => descriptors)),
      mostDescriptors: Math.max(...found.map(({ descriptors }) => descriptors)),
    };
  }
  return { at: Math.round(at), kinds, total: Math.round(total) };
}

interface Look {
  readonly memory: number;
  readonly own: number;
  readonly descriptors: number;
}

function look(pid: number): Look | undefined {
  try {
    const [, resident = 0, shared = 0] = readFileSync(`/proc/${pid}/statm`, 'latin1').split(' ').map(Number);
    if (resident === 0) return undefined;
    return {
      memory: (resident * PAGE_SIZE) / MB,
      own: ((resident - shared) * PAGE_SIZE) / MB,
      descriptors: readdirSync(`/proc/${pid}/fd`).length,
    };
  } catch (error) {
    if (['ENOENT', 'ESRCH', 'EACCES'].includes(String((error as NodeJS.ErrnoException).code)))
      return undefined;
    throw error;
  }
}

/** Kinds whose mean process is, at the end, much larger than it was after the first quarter. */
export function growing(samples: readonly Sample[]): string[] {
  const quarter = Math.floor(samples.length / 4);
  if (quarter < 3) return [];
  const median = (from: number, to: number, kind: Kind, of: (figures: Figures) => number) => {
    const values = samples
      .slice(from, to)
      .flatMap(({ kinds }) => (kinds[kind] ? [of(kinds[kind])] : []))
      .sort((a, b) => a - b);
    return values[Math.floor(values.length / 2)];
  };
  const problems: string[] = [];
  for (const kind of KINDS) {
    for (const { what, of, slack } of MEASURES) {
      const before = median(quarter, 2 * quarter, kind, of);
      const after = median(samples.length - quarter, samples.length, kind, of);
      if (before === undefined || after === undefined || after <= before * 1.25 + slack) continue;
      problems.push(`${what} of a ${kind} grew from ${before} to ${after}`);
    }
  }
  return problems;
}

const MEASURES = [
  { what: 'memory (MB)', of: ({ memory }: Figures) => memory, slack: 15 },
  { what: 'descriptors', of: ({ descriptors }: Figures) => descriptors, slack: 8 },
];

const WIDTH = 720;
const HEIGHT = 180;
const LEFT = 50;
const COLORS: Readonly<Record<Kind, string>> = {
  server: '#4a86c7',
  reader: '#c76a4a',
  host: '#5aa05a',
  agent: '#8a6fc0',
  terminals: '#c0a03a',
};

/** Two plots, one below the other: the mean process of each kind. */
export function curvesSvg(title: string, samples: readonly Sample[]): string {
  const end = samples.at(-1)?.at ?? 1;
  const panels = [
    panel('memory of a process (MB)', samples, end, ({ memory }) => memory),
    panel('open descriptors of a process', samples, end, ({ descriptors }) => descriptors),
  ];
  const legend = KINDS.map(
    (kind, at) => `<text x="${LEFT + at * 110}" y="36" style="fill:${COLORS[kind]}">● ${kind}</text>`,
  );
  const height = 50 + panels.length * (HEIGHT + 40);
  const drawn = panels.map((one, at) => `<g transform="translate(0 ${50 + at * (HEIGHT + 40)})">${one}</g>`);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}"><title>${title}</title><style>text{font:12px sans-serif;fill:#777}path{fill:none;stroke-width:1.5}.axis{stroke:#9996}</style>\n<text x="0" y="16" style="font-weight:bold">${title}</text>\n${legend.join('')}\n${drawn.join('\n')}\n</svg>\n`;
}

function panel(
  name: string,
  samples: readonly Sample[],
  end: number,
  of: (figures: Figures) => number,
): string {
  const values = samples.flatMap(({ kinds }) => Object.values(kinds).map(of));
  const most = Math.max(1, ...values) * 1.1;
  const x = (at: number) => rounded(LEFT + (at / end) * (WIDTH - LEFT - 10));
  const y = (value: number) => rounded(HEIGHT - (value / most) * (HEIGHT - 20));
  const lines = KINDS.map((kind) => {
    const points = samples.flatMap(({ at, kinds }) =>
      kinds[kind] ? [`${x(at)} ${y(of(kinds[kind]))}`] : [],
    );
    return points.length > 1 ? `<path d="M${points.join('L')}" style="stroke:${COLORS[kind]}"/>` : '';
  });
  const minutes = Math.round(end / 60);
  const labels = [
    `<text x="0" y="12">${name}</text>`,
    `<text x="0" y="${HEIGHT}">0</text>`,
    `<text x="0" y="${y(most / 1.1) + 4}">${Math.round(most / 1.1)}</text>`,
    `<text x="${WIDTH - 60}" y="${HEIGHT + 16}">${minutes} min</text>`,
  ];
  return `<path class="axis" d="M${LEFT} 20V${HEIGHT}H${WIDTH - 10}"/>${lines.join('')}${labels.join('')}`;
}

const rounded = (value: number): number => Math.round(value * 10) / 10;
