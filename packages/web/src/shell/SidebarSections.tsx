import { SessionLink } from './SessionLink.tsx';
import type { SidebarSection } from './sidebar-sections.ts';

/** Sessions that need the user, work, or are ready to review, in two lines each. */
export function SidebarSections({ sections }: { sections: readonly SidebarSection[] }) {
  return sections.map(({ id, title, rows, queued }) => (
    <section key={id} className="project" aria-label={title} data-section={id}>
      <h3 className="sidebar-heading">
        {title} <span>{queued === 0 ? rows.length : `${rows.length - queued} · ${queued} queued`}</span>
      </h3>
      <ul className="session-list">
        {rows.map((row) => (
          <SessionLink key={row.id} row={row} isTall />
        ))}
      </ul>
    </section>
  ));
}
