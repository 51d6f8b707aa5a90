/** Home before the first session (D45): a short introduction, and three steps that act on click. */
import type { Deck } from '@tugdeck/protocol/wire/deck';
import { Check, FolderPlus, Play, SquarePen } from 'lucide-react';
import type { ReactNode } from 'react';
import { runAction } from '../../kit/action-runners.ts';
import { useClient } from '../../kit/client-context.tsx';
import { faultText } from '../../kit/deck-actions.ts';
import { defaultProject } from '../../kit/machines.ts';
import { startTour } from '../../kit/start-tour.ts';
import { showFault } from '../../kit/undo.ts';
import { visiblePath, visibleText } from '../../kit/visible-text.ts';
import { BrandMark } from '../../ui/BrandMark.tsx';
import { Button } from '../../ui/Button.tsx';
import { CopyLine } from '../../ui/CopyLine.tsx';
import { Icon } from '../../ui/Icon.tsx';
import './first-run.css';

/** Agents to install that are offered at first; Settings has all. */
const OFFERED = 2;

export function FirstRun({ deck, onNewSession }: { deck: Deck; onNewSession: () => void }) {
  return (
    <section className="home first-run" aria-label="Home">
      <div className="first-run-body">
        <BrandMark size={48} />
        <h1>
          <span>Run coding agents side by side.</span> <span>You approve, they work.</span>
        </h1>
        <ol>
          <TryDemo deck={deck} />
          <ConnectAgent deck={deck} />
          <AddProject deck={deck} onNewSession={onNewSession} />
        </ol>
      </div>
    </section>
  );
}

function StepCard({ title, text, children }: { title: string; text: string; children: ReactNode }) {
  return (
    <li className="first-run-card">
      <h2>{title}</h2>
      <p>{text}</p>
      {children}
    </li>
  );
}

function TryDemo({ deck }: { deck: Deck }) {
  const client = useClient();
  const project = defaultProject(deck)?.id;
  if (!deck.agents.some(({ name }) => name === 'demo')) return null;
  const start = (id: string) => startTour(client, id).catch((error: unknown) => showFault(faultText(error)));
  return (
    <StepCard
      title="Try the demo"
      text="A minute with a built-in agent: it asks before it edits a file or runs a command. No account needed."
    >
      <Button
        look="primary"
        onClick={() => (project === undefined ? runAction('project.add') : void start(project))}
      >
        <Icon icon={Play} />
        {project === undefined ? 'Choose a folder for the tour…' : 'Start the tour'}
      </Button>
    </StepCard>
  );
}

/** Text before the command in the detail of an agent that isn't installed. */
const INSTALL = /^Install it with: /;

/** Another program for an agent that Tugdeck also runs by itself: nothing to offer first. */
const isAdapter = (name: string): boolean => name.endsWith('-acp');

function ConnectAgent({ deck }: { deck: Deck }) {
  const own = deck.agents.filter(({ name }) => name !== 'demo');
  const found = own.filter(({ installed }) => installed);
  const others = own.filter(({ name, installed }) => !installed && !isAdapter(name)).slice(0, OFFERED);
  return (
    <StepCard
      title="Connect an agent"
      text={found.length > 0 ? 'Found on this machine:' : 'Install one in a terminal, then reload this page.'}
    >
      {found.length > 0 ? (
        <ul className="first-run-agents">
          {found.map(({ name, label, detail }) => (
            <li key={name} title={visiblePath(detail)}>
              <Icon icon={Check} size={14} />
              {visibleText(label)}
            </li>
          ))}
        </ul>
      ) : (
        others.map(({ name, label, detail }) => (
          <CopyLine key={name} label={visibleText(label)} text={detail.replace(INSTALL, '')} />
        ))
      )}
      <Button onClick={() => runAction('open.settings')}>All agents</Button>
    </StepCard>
  );
}

function AddProject({ deck, onNewSession }: { deck: Deck; onNewSession: () => void }) {
  const names = deck.projects.map(({ name }) => visibleText(name));
  return (
    <StepCard
      title={names.length === 0 ? 'Add a project' : 'Start a session'}
      text={
        names.length === 0
          ? 'A project is a folder that your agents work in.'
          : `In ${names.slice(-3).join(', ')}, or another folder.`
      }
    >
      {names.length === 0 ? null : (
        <Button look="primary" onClick={onNewSession}>
          <Icon icon={SquarePen} />
          New session
        </Button>
      )}
      <Button look={names.length === 0 ? 'primary' : 'plain'} onClick={() => runAction('project.add')}>
        <Icon icon={FolderPlus} />
        {names.length === 0 ? 'Choose folder…' : 'Add project'}
      </Button>
    </StepCard>
  );
}
