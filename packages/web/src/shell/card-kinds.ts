/**
 * The card kinds. A kind is an entry here and a folder beside this file; its code is loaded when its first card
 * opens. The dock renders cards from this list and knows no kind by name.
 */
import {
  Activity,
  CircleQuestionMark,
  FileDiff,
  FileText,
  FolderTree,
  GitBranch,
  Inbox,
  type LucideIcon,
  Settings,
  SquareTerminal,
} from 'lucide-react';
import type { ComponentType } from 'react';

/** The content of a card. Stored in the layout, so plain and small. */
export interface CardParams {
  readonly project?: string;
  readonly session?: string;
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
  readonly load: () => Promise<{ readonly default: ComponentType<CardProps> }>;
}

export const CARD_KINDS: readonly CardKind[] = [
  {
    kind: 'terminal',
    label: 'Terminal',
    letter: 't',
    icon: SquareTerminal,
    needs: 'project',
    isMany: true,
    load: () => import('../cards/terminal/TerminalCard.tsx'),
  },
  {
    kind: 'git',
    label: 'Git',
    letter: 'g',
    icon: GitBranch,
    needs: 'project',
    load: () => import('../cards/git/GitCard.tsx'),
  },
  {
    kind: 'review',
    label: 'Review',
    letter: 'r',
    icon: FileDiff,
    needs: 'session',
    load: () => import('../cards/review/ReviewCard.tsx'),
  },
  {
    kind: 'stats',
    label: 'Stats',
    letter: 's',
    icon: Activity,
    needs: 'nothing',
    load: () => import('../cards/stats/StatsCard.tsx'),
  },
  {
    kind: 'inbox',
    label: 'Inbox',
    letter: 'i',
    icon: Inbox,
    needs: 'nothing',
    load: () => import('../cards/inbox/InboxCard.tsx'),
  },
  {
    kind: 'settings',
    label: 'Settings',
    letter: 'e',
    icon: Settings,
    needs: 'nothing',
    load: () => import('../cards/settings/SettingsCard.tsx'),
  },
  {
    kind: 'help',
    label: 'Help',
    letter: 'h',
    icon: CircleQuestionMark,
    needs: 'nothing',
    load: () => import('../cards/help/HelpCard.tsx'),
  },
  {
    kind: 'files',
    label: 'Files',
    letter: 'f',
    icon: FolderTree,
    needs: 'project',
    load: () => import('../cards/files/FilesCard.tsx'),
  },
  {
    kind: 'file',
    label: 'Editor',
    letter: 'o',
    icon: FileText,
    needs: 'project',
    load: () => import('../cards/file/FileCard.tsx'),
  },
];
