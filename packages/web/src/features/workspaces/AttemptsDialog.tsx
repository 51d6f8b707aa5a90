/** Chooses agent, model and mode of each attempt (B37). */
import './attempts.css';
import { ATTEMPTS } from '@tugdeck/protocol/attempts/attempts';
import type { Choice } from '@tugdeck/protocol/conversation/session-info';
import type { AgentChoice, SessionRow } from '@tugdeck/protocol/wire/deck';
import { Plus, X } from 'lucide-react';
import { useId } from 'react';
import { useClient } from '../../kit/client-context.tsx';
import { agentsIn } from '../../kit/machines.ts';
import { useChannel } from '../../kit/use-channel.ts';
import { useReadable, useSelected } from '../../kit/use-readable.ts';
import { visibleText } from '../../kit/visible-text.ts';
import { Button } from '../../ui/Button.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { IconButton } from '../../ui/IconButton.tsx';
import { letterOf, type OtherAttempt, otherAttempts, withCount } from './attempts.ts';

const SAME = '';

export function AttemptsDialog({ row, onClose }: { row: SessionRow; onClose: () => void }) {
  const client = useClient();
  const deck = useReadable(client.deck);
  const others = otherAttempts(row.id);
  const chosen = useReadable(others);
  const channel = useChannel(client, row.id);
  const agents = (deck ? agentsIn(deck, row.project).agents : []).filter(({ installed }) => installed);
  const change = (index: number, next: OtherAttempt | undefined) =>
    others.set(chosen.flatMap((one, at) => (at !== index ? [one] : next ? [next] : [])));
  const own = agents.find(({ name }) => name === row.agent)?.label ?? row.agent;
  return (
    <Dialog title="Attempts" onClose={onClose}>
      <p className="dialog-note">
        All get the same message and start from the same commit, each in its own workspace.
      </p>
      <ol className="attempt-choices">
        <li className="attempt-choice">
          <span className="attempt-letter">A</span>
          <span className="attempt-own">{`${visibleText(own)}, as chosen below the message`}</span>
        </li>
        {chosen.map((one, index) => (
          <Other
            // biome-ignore lint/suspicious/noArrayIndexKey: an attempt has no other identity before it starts
            key={index}
            number={index + 2}
            one={one}
            row={row}
            agents={agents}
            channel={channel}
            onChange={(next) => change(index, next)}
          />
        ))}
      </ol>
      <Button
        look="quiet"
        disabled={chosen.length + 1 >= ATTEMPTS.most}
        onClick={() => others.set(withCount(chosen, chosen.length + 2))}
      >
        <Icon icon={Plus} size={14} />
        Add attempt
      </Button>
      <div className="dialog-actions">
        <Button look="primary" onClick={onClose}>
          Done
        </Button>
      </div>
    </Dialog>
  );
}

interface OtherProps {
  number: number;
  one: OtherAttempt;
  row: SessionRow;
  agents: readonly AgentChoice[];
  channel: ReturnType<typeof useChannel>;
  onChange: (next: OtherAttempt | undefined) => void;
}

function Other({ number, one, row, agents, channel, onChange }: OtherProps) {
  const list = useId();
  const deck = useReadable(useClient().deck);
  const agent = one.agent ?? row.agent;
  const facts = useSelected(channel?.view ?? NO_VIEW, (view) => view?.conversation.facts);
  const isOwn = agent === row.agent;
  const models = isOwn ? (facts?.models ?? []) : seenModels(deck?.sessions ?? [], agent);
  const modes = isOwn ? (facts?.modes ?? []).filter(({ dangerous }) => !dangerous) : [];
  const letter = letterOf(number);
  return (
    <li className="attempt-choice">
      <span className="attempt-letter">{letter}</span>
      <select
        className="field"
        aria-label={`Agent of attempt ${letter}`}
        value={agent}
        onChange={({ target }) => onChange(target.value === row.agent ? {} : { agent: target.value })}
      >
        {agents.map(({ name, label }) => (
          <option key={name} value={name}>
            {visibleText(label)}
          </option>
        ))}
      </select>
      <input
        className="field"
        aria-label={`Model of attempt ${letter}`}
        placeholder={isOwn ? 'Same model' : 'Default model'}
        list={list}
        maxLength={200}
        value={one.model ?? SAME}
        onChange={({ target }) => onChange({ ...one, model: target.value.trim() || undefined })}
      />
      <datalist id={list}>
        {models.map(({ id, label }) => (
          <option key={id} value={id}>
            {visibleText(label)}
          </option>
        ))}
      </datalist>
      {modes.length > 0 ? (
        <select
          className="field"
          aria-label={`Mode of attempt ${letter}`}
          value={one.mode ?? SAME}
          onChange={({ target }) => onChange({ ...one, mode: target.value || undefined })}
        >
          <option value={SAME}>Same mode</option>
          {modes.map(({ id, label }) => (
            <option key={id} value={id}>
              {visibleText(label)}
            </option>
          ))}
        </select>
      ) : null}
      <IconButton icon={X} label={`Remove attempt ${letter}`} onClick={() => onChange(undefined)} />
    </li>
  );
}

const NO_VIEW = { get: () => undefined, subscribe: () => () => undefined };

/** An agent reports its models when it runs; until then, those that were used before. */
function seenModels(rows: readonly SessionRow[], agent: string): Pick<Choice, 'id' | 'label'>[] {
  const used = rows.flatMap((one) => (one.agent === agent ? (one.summary?.model ?? []) : []));
  return [...new Set(used)].slice(0, 20).map((id) => ({ id, label: id }));
}
