/**
 * The kinds of cards, as far as they are known without loading them. The shell registers its list before the first
 * render; everything below the shell finds a kind by name.
 */
import type { LucideIcon } from 'lucide-react';
import { mayShow } from './limited.ts';

/** The content of a card. Stored in the layout, so plain and small. */
export interface CardParams {
  readonly project?: string;
  readonly session?: string;
  /** The session that it was opened for, if it isn't its content. */
  readonly of?: string;
  /** Anything else the kind needs: a terminal's id, a file's path. */
  readonly item?: string;
}

export interface CardProps {
  readonly params: CardParams;
  /** Whether it is in front. A hidden card may stop rendering but keeps its state. */
  readonly isVisible: boolean;
  /** Sets the tab's title. */
  readonly setTitle: (title: string) => void;
  readonly setParams: (params: CardParams) => void;
  readonly close: () => void;
}

export interface CardKind {
  /** Stored in layouts: must not be renamed. */
  readonly kind: string;
  readonly label: string;
  /** Its key in the card picker (D1). */
  readonly letter: string;
  readonly icon: LucideIcon;
  /** The context required to open one. */
  readonly needs: 'project' | 'session' | 'nothing';
  /** Whether several cards with the same params may be open (terminals). */
  readonly isMany?: boolean;
  /** A whole page: opens as a tab of the conversations, not in a column beside them. */
  readonly isPage?: boolean;
}

let kinds: readonly CardKind[] = [];

export function registerCardKinds(list: readonly CardKind[]): void {
  kinds = list;
}

export function kindByName(name: string): CardKind | undefined {
  return mayShow(name) ? kinds.find(({ kind }) => kind === name) : undefined;
}
