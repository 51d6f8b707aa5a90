/** The progress of the todo list as text. Pure. */
import type { Todo } from '@tugdeck/protocol/conversation/session-info';

export function progressOf(todos: readonly Todo[]): { readonly done: number; readonly current: string } {
  const done = todos.filter(({ state }) => state === 'done').length;
  if (done === todos.length) return { done, current: 'All done' };
  const active = todos.find(({ state }) => state === 'active');
  if (active) return { done, current: active.activeForm ?? active.text };
  const next = todos.find(({ state }) => state === 'pending');
  return { done, current: next ? `Next: ${next.text}` : '' };
}

/** What blocks a todo, by its text if known; finished ones do not block. */
export function blockers({ blockedBy = [] }: Todo, todos: readonly Todo[]): readonly string[] {
  return blockedBy.flatMap((id) => {
    const other = todos.find((todo) => todo.id === id);
    if (!other) return [`#${id}`];
    return other.state === 'done' ? [] : [other.text];
  });
}
