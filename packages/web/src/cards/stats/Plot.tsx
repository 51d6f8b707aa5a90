import type { Series } from './series.ts';

export interface PlotProps {
  readonly label: string;
  readonly series: readonly Series[];
  readonly format: (value: number) => string;
  /** Minimum top of the scale, so that small values do not look dramatic. */
  readonly minTop: number;
}

const WIDTH = 300;
const HEIGHT = 80;

/** Lines over the last minutes, newest at the right, with current values. */
export function Plot({ label, series, format, minTop }: PlotProps) {
  const length = Math.max(2, ...series.map(({ values }) => values.length));
  const top = Math.max(minTop, ...series.flatMap(({ values }) => values));
  const points = (values: readonly number[]) =>
    values
      .map((value, at) => {
        const x = WIDTH - ((values.length - 1 - at) / (Math.max(length, 60) - 1)) * WIDTH;
        return `${x.toFixed(1)},${(HEIGHT - (value / top) * (HEIGHT - 2) - 1).toFixed(1)}`;
      })
      .join(' ');
  const now = series.map(({ name, values }) => ({ name, value: values.at(-1) ?? 0 }));
  const description = `${label}: ${now.map(({ name, value }) => `${name} ${format(value)}`).join(', ')}`;
  return (
    <figure className="plot">
      <figcaption>
        <b>{label}</b>
        <span className="plot-top">{format(top)}</span>
      </figcaption>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={description}>
        <line className="plot-ground" x1="0" x2={WIDTH} y1={HEIGHT - 0.5} y2={HEIGHT - 0.5} />
        <line className="plot-ground" x1="0" x2={WIDTH} y1={HEIGHT / 2} y2={HEIGHT / 2} />
        {series.map(({ name, values }, at) => (
          <polyline key={name} className="plot-line" data-series={at % 6} points={points(values)} />
        ))}
      </svg>
      <ul className="plot-legend">
        {now.map(({ name, value }, at) => (
          <li key={name}>
            <span className="plot-mark" data-series={at % 6} aria-hidden="true" />
            {name} <b>{format(value)}</b>
          </li>
        ))}
      </ul>
    </figure>
  );
}
