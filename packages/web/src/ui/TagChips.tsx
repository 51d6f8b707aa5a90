import './tags.css';

/** The tags of a session, one chip each. */
export function TagChips({ tags }: { tags: readonly string[] | undefined }) {
  if (tags === undefined || tags.length === 0) return null;
  return (
    <span className="tag-chips">
      {tags.map((tag) => (
        <span key={tag} className="tag-chip">
          #{tag}
        </span>
      ))}
    </span>
  );
}
