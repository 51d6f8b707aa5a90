import type { ToolEntry, ToolKind } from '@tugdeck/protocol/conversation/entries';
import {
  Bot,
  Brain,
  FilePen,
  FilePlus2,
  FileText,
  FolderSearch,
  Globe,
  ListTodo,
  type LucideIcon,
  Search,
  SquareTerminal,
  Wrench,
} from 'lucide-react';

export const TOOL_ICONS: Readonly<Record<ToolKind, LucideIcon>> = {
  shell: SquareTerminal,
  edit: FilePen,
  read: FileText,
  search: Search,
  fetch: Globe,
  agent: Bot,
  todo: ListTodo,
  think: Brain,
  other: Wrench,
};

const VARIANT_ICONS = { write: FilePlus2, 'find-files': FolderSearch } as const;

/** By variant if known, otherwise by kind. */
export function toolIcon({ toolKind, variant }: Pick<ToolEntry, 'toolKind' | 'variant'>): LucideIcon {
  return variant === undefined ? TOOL_ICONS[toolKind] : VARIANT_ICONS[variant];
}
