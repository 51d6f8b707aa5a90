/**
 * The card kinds. A kind is an entry here and a folder in `cards/`; its code is loaded when its first card opens.
 * The dock renders cards from this list and knows no kind by name.
 */
import {
  Activity,
  CircleQuestionMark,
  FileDiff,
  FileText,
  FolderTree,
  GitBranch,
  Globe,
  History,
  Inbox,
  Layers,
  MessageSquare,
  Settings,
  SquareTerminal,
} from 'lucide-react';
import type { ComponentType } from 'react';
import { type CardKind, type CardProps, registerCardKinds } from '../kit/card-kinds.ts';

interface LoadedKind extends CardKind {
  readonly load: () => Promise<{ readonly default: ComponentType<CardProps> }>;
}

/** Part of the first load, because every deck has conversations. */
const CONVERSATION: CardKind = {
  kind: 'conversation',
  label: 'Conversation',
  letter: 'c',
  icon: MessageSquare,
  needs: 'session',
};

export const CARD_KINDS: readonly LoadedKind[] = [
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
    kind: 'preview',
    label: 'Preview',
    letter: 'p',
    icon: Globe,
    needs: 'project',
    load: () => import('../cards/preview/PreviewCard.tsx'),
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
    kind: 'timeline',
    label: 'Timeline',
    letter: 'l',
    icon: History,
    needs: 'session',
    load: () => import('../cards/timeline/TimelineCard.tsx'),
  },
  {
    kind: 'attempts',
    label: 'Attempts',
    letter: 'a',
    icon: Layers,
    needs: 'project',
    load: () => import('../cards/attempts/AttemptsCard.tsx'),
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
    isPage: true,
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

/** Must run before a layout is read: cards of unknown kinds are dropped from it. */
export function registerAllKinds(): void {
  registerCardKinds([CONVERSATION, ...CARD_KINDS]);
}
