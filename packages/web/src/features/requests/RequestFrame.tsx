/**
 * The frame of a request: it is announced while off screen, and keys reach it only with the focus inside (C6).
 * During the click delay it is marked as disabled. It never takes the focus.
 */
import type { RequestEntry } from '@tugdeck/protocol/conversation/entries';
import { type KeyboardEvent, type ReactNode, useCallback } from 'react';
import type { AnswerGuard } from '../../ui/answers/use-answer-guard.ts';
import { useCard } from '../conversation/card-context.tsx';
import { actionOfKey, type RequestAction } from './request-keys.ts';

export interface RequestFrameProps {
  entry: RequestEntry;
  guard: AnswerGuard;
  label: string;
  tone: 'warning' | 'primary';
  /** The ARIA role; a form has its own. */
  role?: 'group' | 'none';
  onAction?: (action: RequestAction, frame: HTMLElement) => void;
  /** A digit was pressed outside of text fields. Returns whether it meant something. */
  onDigit?: (digit: number, target: HTMLElement) => boolean;
  children: ReactNode;
}

export function RequestFrame({
  entry,
  guard,
  label,
  tone,
  role = 'group',
  onAction,
  onDigit,
  children,
}: RequestFrameProps) {
  const { onScreen } = useCard();
  const watch = useCallback(
    (element: HTMLElement | null) => {
      if (!element) return undefined;
      const ends = [onScreen.watch(entry.id, element), guard.ref(element)];
      return () => {
        for (const end of ends) end?.();
      };
    },
    [onScreen, entry.id, guard.ref],
  );
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const target = event.target as HTMLElement;
    const isTyping = target.matches('textarea, select, input:not([type=radio], [type=checkbox])');
    const isPlain = !event.ctrlKey && !event.altKey && !event.metaKey;
    if (onDigit && !isTyping && isPlain && /^[1-9]$/.test(event.key) && onDigit(Number(event.key), target)) {
      event.preventDefault();
      return;
    }
    const action = actionOfKey({ press: event, isTyping });
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
      aria-disabled={guard.isResting || undefined}
      tabIndex={0}
      onKeyDown={onKeyDown}
    >
      {children}
    </section>
  );
}
