/** A further message to one, some or all attempts (B38). */

import { newId } from '@tugdeck/client/new-id';
import type { attempts } from '@tugdeck/protocol/areas/attempts';
import type { AttemptsRow } from '@tugdeck/protocol/attempts/attempts';
import { type FormEvent, useState } from 'react';
import { letterOf } from '../../features/workspaces/attempts.ts';
import type { UsedArea } from '../../kit/use-area.ts';
import { Button } from '../../ui/Button.tsx';

export interface FollowUpProps {
  group: AttemptsRow;
  area: UsedArea<typeof attempts>;
}

export function FollowUp({ group, area }: FollowUpProps) {
  const [text, setText] = useState('');
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const possible = group.attempts.filter(({ isWaiting, fault }) => isWaiting !== true && fault === undefined);
  const chosen = possible.filter(({ session }) => !left.has(session)).map(({ session }) => session);
  const toggle = (session: string) => {
    const next = new Set(left);
    if (!next.delete(session)) next.add(session);
    setLeft(next);
  };
  const send = async (event: FormEvent) => {
    event.preventDefault();
    const message = { group: group.id, sessions: chosen, command: newId(), text };
    if (await area.act((channel) => channel.call('send', message))) setText('');
  };
  return (
    <form className="follow-up" onSubmit={(event) => void send(event)}>
      <textarea
        className="field"
        rows={2}
        aria-label="Follow-up"
        placeholder="Message to these attempts"
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
      <div className="follow-up-foot">
        <span className="follow-up-to">To</span>
        {group.attempts.map(({ session }, index) => (
          <label key={session}>
            <input
              type="checkbox"
              checked={chosen.includes(session)}
              disabled={!possible.some((one) => one.session === session)}
              onChange={() => toggle(session)}
            />
            {letterOf(index + 1)}
          </label>
        ))}
        <Button look="primary" type="submit" disabled={text.trim() === '' || chosen.length === 0}>
          {chosen.length > 1 ? `Send to ${chosen.length}` : 'Send'}
        </Button>
      </div>
    </form>
  );
}
