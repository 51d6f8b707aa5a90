/**
 * The component of each card kind. The conversation is part of the first load; the others are loaded when first
 * rendered.
 */
import { type ComponentType, lazy } from 'react';
import { ConversationPane } from '../../cards/conversation/ConversationPane.tsx';
import type { CardProps } from '../../kit/card-kinds.ts';
import { CARD_KINDS } from '../card-kinds.ts';

const views = new Map<string, ComponentType<CardProps>>([['conversation', ConversationPane]]);

export function viewOf(kind: string): ComponentType<CardProps> | undefined {
  const known = views.get(kind);
  const listed = CARD_KINDS.find((each) => each.kind === kind);
  if (known || !listed) return known;
  const made = lazy(listed.load);
  views.set(kind, made);
  return made;
}
