/** Marks an entry that is missing from the agent's own transcript (A42). */
export function MissingContext() {
  return (
    <p className="delivery muted" title="Only Tugdeck has this entry. The agent continues without it.">
      missing from the agent’s transcript
    </p>
  );
}
