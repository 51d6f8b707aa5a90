/** Above the composer of a session in a workspace: progress of its creation (B17), and what is wrong with it (B36). */
import './workspaces.css';
import { workspaces as workspacesArea } from '@tugdeck/protocol/areas/workspaces';
import type { WorkspaceRow } from '@tugdeck/protocol/workspaces/workspace';
import { Check, Circle, LoaderCircle } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { openCard } from '../../kit/layout/open-card.ts';
import { useArea, useReply } from '../../kit/use-area.ts';
import { useWorkspace } from '../../kit/use-workspace.ts';
import { visibleText } from '../../kit/visible-text.ts';
import { Button } from '../../ui/Button.tsx';
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { fenced } from '../prompt/add-to-prompt.ts';
import { renderedTerminal } from '../terminal/rendered-terminals.ts';
import type { WorkspacesArea } from './used-area.ts';
import { creationSteps } from './workspace-text.ts';

export interface WorkspaceNotesProps {
  workspace: string;
  /** The agent's name. */
  agent: string;
  /** Fills the composer. */
  onQuote: (text: string) => void;
}

export function WorkspaceNotes({ workspace, agent, onQuote }: WorkspaceNotesProps) {
  const row = useWorkspace(workspace);
  const area = useArea(workspacesArea, row && { project: row.project });
  if (!row) return null;
  return (
    <>
      <Note row={row} area={area} agent={agent} onQuote={onQuote} />
      {area.fault === undefined ? null : (
        <p className="fault" role="alert">
          {visibleText(area.fault)}
        </p>
      )}
    </>
  );
}

interface NoteProps {
  row: WorkspaceRow;
  area: WorkspacesArea;
  agent: string;
  onQuote: (text: string) => void;
}

function Note({ row, area, agent, onQuote }: NoteProps) {
  switch (row.state) {
    case 'creating':
      return <Progress row={row} area={area} />;
    case 'ready':
      if (row.step === 'setup')
        return (
          <Banner text="Running the setup again">
            <SetupTerminal row={row} />
          </Banner>
        );
      if (row.fault !== undefined)
        return <SetupFailed row={row} area={area} agent={agent} onQuote={onQuote} />;
      return <ReadyNotes row={row} area={area} />;
    case 'missing':
      return <Missing row={row} area={area} />;
    case 'archived':
      return (
        <Banner text="This workspace is archived. Restore it to continue.">
          <Button onClick={() => void area.act((channel) => channel.call('restore', { workspace: row.id }))}>
            Restore
          </Button>
        </Banner>
      );
    case 'archiving':
    case 'restoring':
      return (
        <Banner
          text={row.state === 'archiving' ? 'Archiving this workspace…' : 'Restoring this workspace…'}
        />
      );
    default:
      return null;
  }
}

function Progress({ row, area }: { row: WorkspaceRow; area: WorkspacesArea }) {
  return (
    <ol className="workspace-steps" aria-label="Creating the workspace">
      {creationSteps(row).map(({ name, state, text }) => (
        <li
          key={name}
          className="workspace-step"
          data-state={state}
          aria-current={state === 'now' ? 'step' : undefined}
        >
          <span className="workspace-step-mark">
            <Icon icon={state === 'done' ? Check : state === 'now' ? LoaderCircle : Circle} size={12} />
          </span>
          <span>{visibleText(text)}</span>
          <span className="workspace-step-space" />
          {name === 'setup' && state === 'now' ? (
            <>
              <SetupTerminal row={row} />
              <Button
                look="quiet"
                title="Send the message now; the setup continues in its terminal"
                onClick={() =>
                  void area.act((channel) => channel.call('setup', { workspace: row.id, act: 'skip' }))
                }
              >
                Skip setup
              </Button>
            </>
          ) : null}
        </li>
      ))}
    </ol>
  );
}

const RENDER_MS = 50;

const terminalOf = ({ id }: WorkspaceRow) => `setup-${id}`;

function SetupTerminal({ row }: { row: WorkspaceRow }) {
  return (
    <Button
      look="quiet"
      onClick={() => void openCard('terminal', { project: row.id, item: terminalOf(row) })}
    >
      Show terminal
    </Button>
  );
}

function SetupFailed({ row, area, agent, onQuote }: NoteProps) {
  const send = async () => {
    openCard('terminal', { project: row.id, item: terminalOf(row) });
    const { screen } = await renderedTerminal(terminalOf(row));
    const output = await rendered(() => screen.lastOutput());
    onQuote(`${row.fault ?? 'Setup failed.'} Find out why and fix it.\n${fenced(output)}`);
  };
  return (
    <Banner text={visibleText(row.fault ?? '')} isAlert>
      <SetupTerminal row={row} />
      <Button
        onClick={() => void area.act((channel) => channel.call('setup', { workspace: row.id, act: 'run' }))}
      >
        Run again
      </Button>
      <Button onClick={() => void send()}>{`Send to ${visibleText(agent)}`}</Button>
    </Banner>
  );
}

/** A terminal draws what it has a moment after it opens. */
async function rendered(read: () => string, tries = 40): Promise<string> {
  const text = read();
  if (text !== '' || tries === 0) return text;
  await new Promise((resolve) => setTimeout(resolve, RENDER_MS));
  return rendered(read, tries - 1);
}

function ReadyNotes({ row, area }: { row: WorkspaceRow; area: WorkspacesArea }) {
  const { value } = useReply(area.channel, 'status', { workspace: row.id }, row.branch);
  if (value?.branchGone) {
    return (
      <Banner
        text={`The branch ${visibleText(value.branch ?? '')} was deleted. Its files are still here.`}
        isAlert
      >
        <Button
          onClick={() => void area.act((channel) => channel.call('branch.recreate', { workspace: row.id }))}
        >
          Create it again
        </Button>
      </Banner>
    );
  }
  if (value?.missingHooks === undefined) return null;
  return (
    <Banner text={`Commit hooks aren’t active here: ${visibleText(value.missingHooks)} is missing.`}>
      <Button
        onClick={() => void area.act((channel) => channel.call('setup', { workspace: row.id, act: 'run' }))}
      >
        Run setup
      </Button>
    </Banner>
  );
}

function Missing({ row, area }: { row: WorkspaceRow; area: WorkspacesArea }) {
  const [isForgetting, setForgetting] = useState(false);
  return (
    <Banner text="The folder of this workspace was deleted." isAlert>
      <Button onClick={() => void area.act((channel) => channel.call('restore', { workspace: row.id }))}>
        Restore
      </Button>
      <Button look="quiet" onClick={() => setForgetting(true)}>
        Forget…
      </Button>
      {isForgetting ? (
        <ConfirmDialog
          title={`Forget ${visibleText(row.name)}?`}
          text="Its sessions stay readable. Its branch stays in the repository."
          action="Forget"
          onConfirm={() =>
            void area.act((channel) => channel.call('forget', { workspace: row.id, confirmed: true }))
          }
          onClose={() => setForgetting(false)}
        />
      ) : null}
    </Banner>
  );
}

interface BannerProps {
  text: string;
  isAlert?: boolean;
  children?: ReactNode;
}

function Banner({ text, isAlert = false, children }: BannerProps) {
  return (
    <div className="banner" role={isAlert ? 'alert' : 'status'} data-state={isAlert ? 'failed' : 'quiet'}>
      <span>{text}</span>
      {children ? <span className="banner-actions">{children}</span> : null}
    </div>
  );
}
