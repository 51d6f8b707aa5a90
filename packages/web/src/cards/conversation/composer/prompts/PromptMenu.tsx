/** The menu of saved prompts in the composer's foot (D49). */
import { Bookmark } from 'lucide-react';
import type { MenuChoice } from '../../../../kit/offered-actions.ts';
import { prompts, type SavedPrompt } from '../../../../kit/prompts.ts';
import { openShellDialog } from '../../../../kit/shell-dialog.ts';
import { useReadable } from '../../../../kit/use-readable.ts';
import { visibleText } from '../../../../kit/visible-text.ts';
import { Icon } from '../../../../ui/Icon.tsx';
import { Menu } from '../../../../ui/Menu.tsx';

export interface PromptMenuProps {
  /** The message being written. */
  text: string;
  onChoose: (prompt: SavedPrompt) => void;
}

export function PromptMenu({ text, onChoose }: PromptMenuProps) {
  const all = useReadable(prompts);
  const isBlank = text.trim() === '';
  const choices: MenuChoice[] = [
    ...all.map((prompt) => ({
      id: `prompt-${prompt.name}`,
      label: visibleText(prompt.name),
      detail: firstLine(prompt.text),
      onChoose: () => onChoose(prompt),
    })),
    {
      id: 'save',
      label: isBlank ? 'New prompt…' : 'Save message as prompt…',
      isApart: all.length > 0,
      onChoose: () => openShellDialog({ kind: 'prompts', text }),
    },
    ...(all.length > 0
      ? [{ id: 'edit', label: 'Edit prompts…', onChoose: () => openShellDialog({ kind: 'prompts' }) }]
      : []),
  ];
  return (
    <Menu
      label="Saved prompts"
      title="Saved prompts (also with / in the message)"
      className="icon-button prompt-menu"
      choices={choices}
    >
      <Icon icon={Bookmark} />
    </Menu>
  );
}

const MAX_DETAIL = 60;

function firstLine(text: string): string {
  const line = visibleText(text.trim().split('\n', 1)[0] ?? '');
  return line.length > MAX_DETAIL ? `${line.slice(0, MAX_DETAIL)}…` : line;
}
