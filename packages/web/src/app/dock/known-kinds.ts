/** The kinds of cards by name: the conversation, which every deck begins with, and those of the list. */
import { MessageSquare } from 'lucide-react';
import { CARD_KINDS, type CardKind } from '../../cards/card-kinds.ts';

export type KindFacts = Omit<CardKind, 'load'>;

const CONVERSATION: KindFacts = {
  kind: 'conversation',
  label: 'Conversation',
  letter: 'c',
  icon: MessageSquare,
  needs: 'session',
};

export const ALL_KINDS: readonly KindFacts[] = [CONVERSATION, ...CARD_KINDS];

export function kindNamed(name: string): KindFacts | undefined {
  return ALL_KINDS.find(({ kind }) => kind === name);
}
