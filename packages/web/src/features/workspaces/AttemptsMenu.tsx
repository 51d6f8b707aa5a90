/** In the foot of a new session's composer: how many attempts the message starts, and with which agents (B37). */
import { ATTEMPTS } from '@tugdeck/protocol/attempts/attempts';
import type { SessionRow } from '@tugdeck/protocol/wire/deck';
import { ChevronDown } from 'lucide-react';
import { useState } from 'react';
import { lazyComponent } from '../../kit/lazy-component.tsx';
import type { MenuChoice } from '../../kit/offered-actions.ts';
import { useReadable } from '../../kit/use-readable.ts';
import { Icon } from '../../ui/Icon.tsx';
import { Menu } from '../../ui/Menu.tsx';
import { otherAttempts, withCount } from './attempts.ts';
import { planOf } from './start.ts';

const AttemptsDialog = lazyComponent(() =>
  import('./AttemptsDialog.tsx').then((part) => part.AttemptsDialog),
);

export function AttemptsMenu({ row }: { row: SessionRow }) {
  const others = otherAttempts(row.id);
  const chosen = useReadable(others);
  const plan = useReadable(planOf(row.id));
  const [isOpen, setOpen] = useState(false);
  // Outside git, nothing would keep them apart.
  if (!plan || plan.refusal !== undefined) return null;
  const count = chosen.length + 1;
  const isMixed = chosen.some(({ agent, model, mode }) => (agent ?? model ?? mode) !== undefined);
  const choices: MenuChoice[] = [
    { id: '1', label: 'One attempt', checked: count === 1, onChoose: () => others.set([]) },
    ...Array.from({ length: ATTEMPTS.most - 1 }, (_, index) => index + 2).map((number) => ({
      id: String(number),
      label: `${number} attempts`,
      ...(number === 2 ? { detail: 'Each in its own workspace, from the same commit' } : {}),
      checked: count === number,
      onChoose: () => others.set(withCount(chosen, number)),
    })),
    {
      id: ' agents',
      label: 'Choose agents…',
      detail: isMixed ? 'Different agents or models are chosen' : 'The same agent and model for all',
      isApart: true,
      onChoose: () => {
        if (count === 1) others.set(withCount(chosen, 2));
        setOpen(true);
      },
    },
  ];
  return (
    <>
      <Menu
        label={`Attempts: ${count}`}
        title={count === 1 ? 'Start several attempts at this message' : `${count} attempts at this message`}
        className="picker"
        choices={choices}
      >
        {`Attempts: ${count}`}
        <Icon icon={ChevronDown} size={12} />
      </Menu>
      {isOpen ? <AttemptsDialog row={row} onClose={() => setOpen(false)} /> : null}
    </>
  );
}
