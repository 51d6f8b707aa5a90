export interface AgentMarkProps {
  /** SVG path in a 16 by 16 box; a ring for an agent without one. */
  mark: string | undefined;
}

const RING = 'M13 8A5 5 0 1 1 3 8a5 5 0 0 1 10 0';

/** The icon of a session's agent. Its container has the name. */
export function AgentMark({ mark = RING }: AgentMarkProps) {
  return (
    <svg className="agent-mark" viewBox="0 0 16 16" aria-hidden="true">
      <path d={mark} />
    </svg>
  );
}
