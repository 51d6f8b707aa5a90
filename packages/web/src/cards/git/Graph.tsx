/** One row of the commit graph: lines from above, lines to below, the commit. */
import { type GraphRow, MAX_LANES } from './graph.ts';

const STEP = 12;
const HEIGHT = 44;
const MIDDLE = HEIGHT / 2;

export function Graph({ row, width }: { row: GraphRow; width: number }) {
  const lanes = Math.min(width, MAX_LANES);
  const x = (lane: number) => Math.min(lane, lanes - 1) * STEP + STEP / 2;
  const own = x(row.lane);
  return (
    <svg className="git-graph" width={lanes * STEP} height={HEIGHT} aria-hidden="true">
      {row.above.map((isThere, lane) => {
        if (!isThere) return null;
        const to = row.merged.includes(lane) ? own : x(lane);
        // biome-ignore lint/suspicious/noArrayIndexKey: a lane is its number
        return <path key={`a${lane}`} data-lane={lane % 6} d={line(x(lane), 0, to, MIDDLE)} />;
      })}
      {row.below.map((isThere, lane) => {
        if (!isThere) return null;
        const isOwn = row.parents.includes(lane);
        const passes = row.above[lane] && !row.merged.includes(lane);
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: a lane is its number
          <g key={`b${lane}`} data-lane={lane % 6}>
            {isOwn ? <path d={line(own, MIDDLE, x(lane), HEIGHT)} /> : null}
            {passes ? <path d={line(x(lane), MIDDLE, x(lane), HEIGHT)} /> : null}
          </g>
        );
      })}
      <circle cx={own} cy={MIDDLE} r={3.5} data-lane={row.lane % 6} />
    </svg>
  );
}

function line(fromX: number, fromY: number, toX: number, toY: number): string {
  if (fromX === toX) return `M${fromX} ${fromY}V${toY}`;
  const half = (fromY + toY) / 2;
  return `M${fromX} ${fromY}C${fromX} ${half} ${toX} ${half} ${toX} ${toY}`;
}
