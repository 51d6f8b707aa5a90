/**
 * Renders a result as a small SVG: one bar per series up to its median, and a line from its minimum to its maximum.
 * Series with different units are grouped, each group with its own scale. Colors work on light and dark pages.
 */
import type { BenchResult, Series } from './result.ts';

const WIDTH = 640;
const LABELS = 250;
const FIGURES = 130;
const ROW = 22;
const HEAD = 26;

export function plot({ name, about, series }: BenchResult): string {
  const groups = new Map<string, [string, Series][]>();
  for (const entry of Object.entries(series)) {
    const { unit } = entry[1];
    groups.set(unit, [...(groups.get(unit) ?? []), entry]);
  }
  const parts: string[] = [text(0, 16, `${name}: ${about}`, 'title')];
  let y = HEAD + 6;
  for (const [unit, rows] of groups) {
    const largest = Math.max(...rows.map(([, { max }]) => max)) || 1;
    const scale = (value: number) => (value / largest) * (WIDTH - LABELS - FIGURES);
    for (const [label, { median, min, max }] of rows) {
      const middle = y + ROW / 2;
      parts.push(
        text(0, middle + 4, label),
        `<rect x="${LABELS}" y="${y + 4}" width="${at(scale(median))}" height="${ROW - 8}"/>`,
        `<path d="M${at(LABELS + scale(min))} ${middle}H${at(LABELS + scale(max))}"/>`,
        text(at(LABELS + scale(max) + 8), middle + 4, `${median} ${unit}`),
      );
      y += ROW;
    }
    y += 8;
  }
  const style =
    'text{font:12px sans-serif;fill:#777}.title{font-weight:bold}rect{fill:#4a86c7}path{stroke:#c76a4a;stroke-width:2}';
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${y}" width="${WIDTH}" height="${y}"><title>${name}</title><style>${style}</style>\n${parts.join('\n')}\n</svg>\n`;
}

function text(x: number, y: number, content: string, kind?: string): string {
  const escaped = content.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  return `<text x="${x}" y="${y}"${kind ? ` class="${kind}"` : ''}>${escaped}</text>`;
}

const at = (value: number) => Number(value.toFixed(1));
