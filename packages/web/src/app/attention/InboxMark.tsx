import type { ReactNode } from 'react';

export interface InboxMarkProps {
  count: number;
  needsUser: boolean;
  children: ReactNode;
}

/** How much waits, at the corner of what leads there. Amber only while something truly asks. */
export function InboxMark({ count, needsUser, children }: InboxMarkProps) {
  return (
    <span className="inbox-button" data-asks={needsUser}>
      {children}
      {count > 0 ? (
        <span className="inbox-count" aria-hidden="true">
          {count > 99 ? '99+' : count}
        </span>
      ) : null}
    </span>
  );
}
