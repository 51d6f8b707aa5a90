import type { ToolKind } from '@tugdeck/protocol/conversation/entries';
import {
  Bot,
  Brain,
  FilePen,
  FileText,
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
