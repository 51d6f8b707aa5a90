/** Marks an entry that is missing from the agent's own transcript (A42). */
export function MissingContext() {
  return (
    <p className="delivery muted" title="It is in this history only: the agent's own file does not have it.">
      not known to the agent
    </p>
  );
}
