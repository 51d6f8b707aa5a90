/** Context usage as a bar with one part per kind, and a legend. */
import { count } from '../../kit/format.ts';
import { visibleText } from '../../kit/visible-text.ts';
import type { ContextParts } from './context-parts.ts';
import './context-picture.css';

export function ContextPicture({ parts: { used, max, parts } }: { parts: ContextParts }) {
  const percent = (tokens: number) => `${((tokens / max) * 100).toFixed(1).replace(/\.0$/, '')}%`;
  return (
    <figure className="context-picture">
      <figcaption>
        <b>{percent(used)}</b> of the context: {count(used)} of {count(max)} tokens
      </figcaption>
      <div className="context-bar" aria-hidden="true">
        {parts.map(({ name, tokens, isFree }, at) => (
          <span
            key={name}
            data-part={isFree ? 'free' : at % 6}
            style={{ flexGrow: tokens / max }}
            title={visibleText(name)}
          />
        ))}
      </div>
      <ul>
        {parts.map(({ name, tokens, isFree }, at) => (
          <li key={name}>
            <i data-part={isFree ? 'free' : at % 6} aria-hidden="true" />
            <span className="truncate">{visibleText(name)}</span>
            <span className="context-size">
              {count(tokens)} · {percent(tokens)}
            </span>
          </li>
        ))}
      </ul>
    </figure>
  );
}
