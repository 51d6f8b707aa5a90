import type { ReactNode } from 'react';

export interface InboxMarkProps {
  count: number;
  needsUser: boolean;
  children: ReactNode;
}

/** Adds the inbox count to a button. Amber only while a request is open. */
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
