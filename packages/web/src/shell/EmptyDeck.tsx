import type { ReactNode } from 'react';
import { useClient } from '../kit/client-context.tsx';
import { newSession } from '../kit/new-session.ts';
import { usableAgent } from '../kit/projects.ts';
import type { ShellDialog } from '../kit/shell-dialog.ts';
import { useReadable } from '../kit/use-readable.ts';
import { BrandMark } from '../ui/BrandMark.tsx';
import { Button } from '../ui/Button.tsx';
import { CopyLine } from '../ui/CopyLine.tsx';
import { wasRefused } from './sign-in.ts';

export interface EmptyDeckProps {
  isUnknown: boolean;
  onDialog: (dialog: ShellDialog) => void;
}

/** Shown when no card is open: the reason and the next step. */
export function EmptyDeck({ isUnknown, onDialog }: EmptyDeckProps) {
  const client = useClient();
  const deck = useReadable(client.deck);
  const { state } = useReadable(client.status);
  const isRefused = useReadable(wasRefused);
  if (state === 'signed-out') {
    return (
      <Empty
        isSignedOut
        title={isRefused ? 'This sign-in link has expired or was already used' : 'Signed out'}
        text="Run this command in a terminal and open the link it prints."
      >
        <CopyLine label="" text="tugdeck url" />
      </Empty>
    );
  }
  if (!deck) return <div className="empty" aria-busy="true" />;
  if (deck.projects.length === 0) {
    return (
      <Empty title="No projects yet" text="A project is a folder your agents work in.">
        <Button look="primary" onClick={() => onDialog({ kind: 'project' })}>
          Choose folder…
        </Button>
      </Empty>
    );
  }
  if (usableAgent(deck) === undefined) {
    return (
      <Empty title="Install an agent" text="Install one of these, then reload this page.">
        <ul className="empty-agents">
          {deck.agents.map(({ name, label, detail }) => (
            <li key={name}>
              <b>{label}</b> <code>{detail}</code>
            </li>
          ))}
        </ul>
      </Empty>
    );
  }
  return (
    <Empty
      title={isUnknown ? 'Session not found' : 'Nothing here yet'}
      text="Sessions keep running when you close their tab. Open one from the list, or start a new one."
    >
      <Button look="primary" onClick={() => void newSession(client)}>
        Start a session
      </Button>
    </Empty>
  );
}

interface EmptyProps {
  title: string;
  text: string;
  isSignedOut?: boolean;
  children?: ReactNode;
}

function Empty({ title, text, isSignedOut, children }: EmptyProps) {
  return (
    <div className="empty" data-signed-out={isSignedOut}>
      <BrandMark size={40} />
      <h2>{title}</h2>
      <p>{text}</p>
      {children}
    </div>
  );
}
