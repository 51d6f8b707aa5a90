/**
 * The frame of everything that waits for the user: it is pointed to while it is off screen, and keys reach it only
 * with the focus inside and not at once (C6). Until then it says that it is not to be used. It never takes the focus.
 */
import type { RequestEntry } from '@tugdeck/protocol/conversation/entries';
import { type KeyboardEvent, type ReactNode, useCallback } from 'react';
import { useCard } from '../card-context.tsx';
import { actionOfKey, type RequestAction } from './request-keys.ts';

export interface RequestFrameProps {
  entry: RequestEntry;
  isFresh: boolean;
  label: string;
  tone: 'warning' | 'primary';
  /** Name of the element: a form says so itself. */
  role?: 'group' | 'none';
  onAction?: (action: RequestAction, frame: HTMLElement) => void;
  children: ReactNode;
}

export function RequestFrame({
  entry,
  isFresh,
  label,
  tone,
  role = 'group',
  onAction,
  children,
}: RequestFrameProps) {
  const { onScreen } = useCard();
  const watch = useCallback(
    (element: HTMLElement | null) => (element ? onScreen.watch(entry.id, element) : undefined),
    [onScreen, entry.id],
  );
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const target = event.target as HTMLElement;
    const isTyping = target.matches('textarea, select, input:not([type=radio], [type=checkbox])');
    if (!isTyping && (event.key === 'Enter' || event.key === ' ') && isFresh) {
      event.preventDefault();
      return;
    }
    const action = actionOfKey({ press: event, isTyping, isFresh });
    if (!action || !onAction) return;
    event.preventDefault();
    onAction(action, event.currentTarget);
  };
  return (
    <section
      ref={watch}
      role={role === 'group' ? 'group' : 'presentation'}
      aria-label={role === 'group' ? label : undefined}
      className="request"
      data-tone={tone}
      data-request={entry.id}
      aria-disabled={isFresh || undefined}
      tabIndex={0}
      onKeyDown={onKeyDown}
    >
      {children}
    </section>
  );
}
