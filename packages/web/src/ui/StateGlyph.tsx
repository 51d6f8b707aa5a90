import type { SessionState } from '../kit/session-state.ts';
import { STATE_LABELS } from '../kit/session-state.ts';

export interface StateGlyphProps {
  state: SessionState;
  /** A finished session that the user has seen is drawn hollow. */
  isSeen?: boolean;
  /** The container already has the text. */
  isSilent?: boolean;
}

/** A session's state as shape and color (D14), with text for screen readers. */
export function StateGlyph({ state, isSeen = false, isSilent = false }: StateGlyphProps) {
  return (
    <>
      <svg className="glyph" data-state={state} data-seen={isSeen} viewBox="0 0 12 12" aria-hidden="true">
        {shapeOf(state, isSeen)}
      </svg>
      {isSilent ? null : <span className="visually-hidden">{STATE_LABELS[state]}</span>}
    </>
  );
}

function shapeOf(state: SessionState, isSeen: boolean) {
  switch (state) {
    case 'needs':
      return (
        <>
          <path className="glyph-halo" d="M6 0 12 6 6 12 0 6Z" />
          <path className="glyph-fill" d="M6 2.2 9.8 6 6 9.8 2.2 6Z" />
        </>
      );
    case 'working':
      return (
        <>
          <circle className="glyph-track" cx="6" cy="6" r="4" />
          <path className="glyph-line glyph-arc" d="M6 2a4 4 0 0 1 4 4" />
        </>
      );
    case 'queued':
      return <circle className="glyph-line glyph-dotted" cx="6" cy="6" r="4" />;
    case 'review':
      return (
        <>
          <circle className="glyph-line" cx="6" cy="6" r="4" />
          <path className="glyph-fill" d="M6 2a4 4 0 0 0 0 8Z" />
        </>
      );
    case 'done':
      return isSeen ? (
        <circle className="glyph-line" cx="6" cy="6" r="3.5" />
      ) : (
        <circle className="glyph-fill" cx="6" cy="6" r="4" />
      );
    case 'failed':
      return <path className="glyph-fill" d="M6 1.4 11 10.4H1Z" />;
    case 'elsewhere':
      return (
        <>
          <rect className="glyph-line" x="1.2" y="1.2" width="6.4" height="6.4" rx="1" />
          <path className="glyph-line" d="M4.4 10.8h5.4a1 1 0 0 0 1-1V4.4" />
        </>
      );
    case 'idle':
    case 'offline':
      return <circle className="glyph-line" cx="6" cy="6" r="3.5" />;
  }
}
