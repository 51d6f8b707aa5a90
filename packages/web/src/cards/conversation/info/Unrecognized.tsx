import type { Conversation } from '@tugdeck/protocol/conversation/state';
import { plural } from '../../../kit/format.ts';
import { visibleText } from '../../../kit/visible-text.ts';

/** Unrecognized agent messages (A2): the count per kind and the beginning of the last one. */
export function Unrecognized({ unrecognized }: Pick<Conversation, 'unrecognized'>) {
  const { count, kinds, samples = {} } = unrecognized;
  if (count === 0) return null;
  return (
    <section aria-label="Unrecognized messages">
      <h3>Unrecognized messages</h3>
      <p className="muted">
        {plural(count, 'message')} from the agent {count === 1 ? 'was' : 'were'} not recognized. Nothing in
        the conversation depends on {count === 1 ? 'it' : 'them'}; complete lines are in the session’s raw
        log.
      </p>
      <ul className="info-list">
        {Object.entries(kinds).map(([kind, times]) => (
          <li key={kind}>
            <div className="info-row">
              <code className="truncate">{visibleText(kind)}</code>
              <span className="muted">{plural(times, 'time')}</span>
            </div>
            {Object.hasOwn(samples, kind) ? (
              <pre className="info-raw">{visibleText(samples[kind] ?? '')}</pre>
            ) : null}
          </li>
        ))}
      </ul>
    </section>
  );
}
