/** All card kinds by name: the conversation, which every deck has, and those of the list. */
import { MessageSquare } from 'lucide-react';
import { CARD_KINDS, type CardKind } from '../../shell/card-kinds.ts';

export type KindInfo = Omit<CardKind, 'load'>;

const CONVERSATION: KindInfo = {
  kind: 'conversation',
  label: 'Conversation',
  letter: 'c',
  icon: MessageSquare,
  needs: 'session',
};

export const ALL_KINDS: readonly KindInfo[] = [CONVERSATION, ...CARD_KINDS];

export function kindByName(name: string): KindInfo | undefined {
  return ALL_KINDS.find(({ kind }) => kind === name);
}
