export interface AgentMarkProps {
  /** Strokes in a square of 16; a plain ring for an agent without a drawing. */
  mark: string | undefined;
}

const RING = 'M13 8A5 5 0 1 1 3 8a5 5 0 0 1 10 0';

/** Which agent a session belongs to, as a small drawing. Its name is said by what holds it. */
export function AgentMark({ mark = RING }: AgentMarkProps) {
  return (
    <svg className="agent-mark" viewBox="0 0 16 16" aria-hidden="true">
      <path d={mark} />
    </svg>
  );
}
