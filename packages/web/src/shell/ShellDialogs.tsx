import type { ShellDialog } from '../kit/shell-dialog.ts';
import { AddProjectDialog } from './AddProjectDialog.tsx';
import { CardPicker } from './dock/CardPicker.tsx';
import { KeyboardPage } from './keys/KeyboardPage.tsx';
import { OpenOutsideDialog } from './OpenOutsideDialog.tsx';
import { PromptsDialog } from './PromptsDialog.tsx';
import { CommandPalette } from './palette/Palette.tsx';
import { PullDialog } from './pulls/PullDialog.tsx';
import { PushDialog } from './push/PushDialog.tsx';
import { QuickOpen } from './quick-open/QuickOpen.tsx';
import { SearchDialog } from './search/SearchDialog.tsx';
import { TagsDialog } from './TagsDialog.tsx';
import { HandoffDialog } from './workspaces/HandoffDialog.tsx';
import { LandDialog } from './workspaces/LandDialog.tsx';
import { WorkspacesDialog } from './workspaces/WorkspacesDialog.tsx';

export interface ShellDialogsProps {
  dialog: ShellDialog;
  onDialog: (dialog: ShellDialog) => void;
  onClose: () => void;
}

/** The page's dialogs, one at a time. In a separate file, so that they are not part of the first load. */
export function ShellDialogs({ dialog, onDialog, onClose }: ShellDialogsProps) {
  switch (dialog.kind) {
    case 'project':
      return <AddProjectDialog onClose={onClose} />;
    case 'workspaces':
      return <WorkspacesDialog project={dialog.project} onClose={onClose} />;
    case 'land':
      return <LandDialog project={dialog.project} workspace={dialog.workspace} onClose={onClose} />;
    case 'push':
      return <PushDialog place={dialog.place} branch={dialog.branch} onClose={onClose} />;
    case 'pull':
      return <PullDialog workspace={dialog.workspace} session={dialog.session} onClose={onClose} />;
    case 'handoff':
      return <HandoffDialog session={dialog.session} onClose={onClose} />;
    case 'palette':
      return <CommandPalette onDialog={onDialog} onClose={onClose} />;
    case 'keyboard':
      return <KeyboardPage onClose={onClose} />;
    case 'search':
      return <SearchDialog query={dialog.query} onClose={onClose} />;
    case 'picker':
      return <CardPicker group={dialog.group} onClose={onClose} />;
    case 'outside':
      return (
        <OpenOutsideDialog place={dialog.place} path={dialog.path} line={dialog.line} onClose={onClose} />
      );
    case 'tags':
      return <TagsDialog session={dialog.session} onClose={onClose} />;
    case 'prompts':
      return <PromptsDialog text={dialog.text} onClose={onClose} />;
    case 'quick-open':
      return <QuickOpen onClose={onClose} />;
  }
}
