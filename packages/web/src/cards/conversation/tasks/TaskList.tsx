/** The agent's todo list, pinned above the composer and live (C13). Empty if the agent has none. */
import type { Todo } from '@tugdeck/protocol/conversation/session-info';
import { Check, ChevronDown, ChevronRight, Circle, CircleDot } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { persisted } from '../../../kit/persisted.ts';
import { useReadable } from '../../../kit/use-readable.ts';
import { visibleText } from '../../../kit/visible-text.ts';
import { Icon } from '../../../ui/Icon.tsx';
import { blockers, progressOf } from './task-progress.ts';

const ICONS = { pending: Circle, active: CircleDot, done: Check } as const;
const LABELS = { pending: 'to do', active: 'in progress', done: 'done' } as const;

/** Whether the list is expanded; the last choice applies everywhere. */
export const isListOpen = persisted<boolean>('tasks', (raw) => raw === true, { isShared: true });

export function TaskList({ todos }: { todos: readonly Todo[] }) {
  const isOpen = useReadable(isListOpen);
  if (todos.length === 0) return null;
  const { done, current } = progressOf(todos);
  return (
    <section className="tasks" aria-label="Tasks">
      <button
        type="button"
        className="tasks-head"
        aria-expanded={isOpen}
        onClick={() => isListOpen.set(!isOpen)}
      >
        <Icon icon={isOpen ? ChevronDown : ChevronRight} size={14} />
        <b>Tasks</b>
        <span className="tasks-count">
          {done}/{todos.length}
        </span>
        <span className="tasks-bar" aria-hidden="true">
          <span style={{ width: `${(done / todos.length) * 100}%` }} />
        </span>
        {isOpen ? null : <span className="truncate">{current}</span>}
      </button>
      {isOpen ? <Rows todos={todos} /> : null}
    </section>
  );
}

function Rows({ todos }: { todos: readonly Todo[] }) {
  const list = useRef<HTMLUListElement>(null);
  const active = todos.findIndex(({ state }) => state === 'active');
  useEffect(() => {
    const { current } = list;
    const row = current?.children[active];
    if (current && row instanceof HTMLElement) current.scrollTop = row.offsetTop - current.clientHeight / 2;
  }, [active]);
  return (
    <ul ref={list} className="tasks-list">
      {todos.map((todo) => {
        const blocked = blockers(todo, todos);
        return (
          <li key={todo.id} className="task" data-state={todo.state}>
            <Icon icon={ICONS[todo.state]} size={14} />
            <span className="visually-hidden">{LABELS[todo.state]}: </span>
            <span className="task-text">
              {todo.state === 'active' ? (todo.activeForm ?? todo.text) : todo.text}
              {todo.owner ? <span className="task-note"> {todo.owner}</span> : null}
              {blocked.length > 0 ? (
                <span className="task-note"> blocked by {blocked.join(', ')}</span>
              ) : null}
              {todo.description && todo.description !== todo.text ? (
                <span className="task-description">{visibleText(todo.description)}</span>
              ) : null}
            </span>
          </li>
        );
      })}
    </ul>
  );
}
