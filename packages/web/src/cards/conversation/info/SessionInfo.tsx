/** Session info (C19): details of the session's agent and its changeable settings. */
import type { Conversation } from '@tugdeck/protocol/conversation/state';
import { visibleExact, visibleText } from '../../../kit/visible-text.ts';
import { Button } from '../../../ui/Button.tsx';
import { Dialog } from '../../../ui/Dialog.tsx';
import { McpServers } from './McpServers.tsx';
import { SettingsForm } from './SettingsForm.tsx';
import './info.css';
import { plural } from '../../../kit/format.ts';

interface SessionInfoProps {
  conversation: Conversation;
  onClose: () => void;
}

export function SessionInfo({ conversation, onClose }: SessionInfoProps) {
  return (
    <Dialog title="Session info" onClose={onClose}>
      <SessionDetails conversation={conversation} />
      <div className="dialog-actions">
        <Button look="primary" onClick={onClose}>
          Close
        </Button>
      </div>
    </Dialog>
  );
}

/** The contents, for the dialog and the session panel. */
export function SessionDetails({ conversation }: { conversation: Conversation }) {
  const { facts, agent, turns, unrecognized } = conversation;
  const isRunning = agent.state === 'connected';
  const denied = turns.flatMap((turn) => turn.denied ?? []);
  return (
    <div className="info">
      <dl className="info-facts">
        <Fact name="Agent" value={[facts.agentLabel, facts.agentVersion].filter(Boolean).join(' ')} />
        <Fact name="Account" value={facts.account} />
        <Fact name="Directory" value={facts.directory} />
        <Fact name="Agent’s session" value={facts.agentSession} />
      </dl>
      <McpServers facts={facts} isRunning={isRunning} />
      {facts.plugins?.length ? (
        <section aria-label="Plugins">
          <h3>Plugins</h3>
          <ul className="info-list">
            {facts.plugins.map(({ name, source }) => (
              <li key={`${name} ${source}`} className="info-row">
                <span className="truncate">{visibleText(name)}</span>
                <span className="muted truncate">{visibleText(source ?? '')}</span>
              </li>
            ))}
          </ul>
        </section>
      ) : null}
      {isRunning && facts.controls?.includes('settings.change') ? <SettingsForm /> : null}
      {denied.length > 0 ? (
        <section aria-label="Denied permissions">
          <h3>Denied permissions</h3>
          <ul className="info-list">
            {denied.map(({ entry, title }) => (
              <li key={entry} className="info-denied">
                {visibleExact(title)}
              </li>
            ))}
          </ul>
        </section>
      ) : null}
      <Unrecognized unrecognized={unrecognized} />
    </div>
  );
}

function Fact({ name, value }: { name: string; value: string | undefined }) {
  if (!value) return null;
  return (
    <>
      <dt>{name}</dt>
      <dd>{visibleText(value)}</dd>
    </>
  );
}

/** Unrecognized agent messages (A2): the count per kind and the beginning of the last one. */
function Unrecognized({ unrecognized }: Pick<Conversation, 'unrecognized'>) {
  const { count, kinds, samples = {} } = unrecognized;
  if (count === 0) return null;
  return (
    <section aria-label="Unrecognized messages">
      <h3>Unrecognized messages</h3>
      <p className="muted">
        {plural(count, 'message')} from the agent {count === 1 ? 'was' : 'were'} not recognized. Nothing in
        the conversation depends on {count === 1 ? 'it' : 'them'}; complete lines are in the session’s raw
        log.
      </p>
      <ul className="info-list">
        {Object.entries(kinds).map(([kind, times]) => (
          <li key={kind}>
            <div className="info-row">
              <code className="truncate">{visibleText(kind)}</code>
              <span className="muted">{plural(times, 'time')}</span>
            </div>
            {Object.hasOwn(samples, kind) ? (
              <pre className="info-raw">{visibleText(samples[kind] ?? '')}</pre>
            ) : null}
          </li>
        ))}
      </ul>
    </section>
  );
}
