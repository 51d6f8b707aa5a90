/**
 * The session's todo list, from the todo and task tools (M13). Built up since the agent's start; a listing replaces
 * it.
 */
import type { Todo } from '@tugdeck/protocol/conversation/session-info';
import type { Emitter } from '../kit/emitter.ts';
import { listOf, recordOf, textAt } from '../kit/fields.ts';

export class Todos {
  readonly #out: Emitter;
  readonly #todos = new Map<string, Todo>();

  constructor(out: Emitter) {
    this.#out = out;
  }

  /** A tool succeeded; other tools are ignored. */
  toolDone(name: string, input: unknown, structured: unknown): void {
    switch (name) {
      case 'TodoWrite':
        this.#replace(listOf(recordOf(input).todos).map(fromTodoWrite));
        return;
      case 'TaskCreate':
        this.#created(input, recordOf(structured).task);
        return;
      case 'TaskUpdate':
        this.#updated(input);
        return;
      case 'TaskGet':
        this.#read(recordOf(structured).task);
        return;
      case 'TaskList':
        this.#replace(listOf(recordOf(structured).tasks).map((task) => this.#fromList(task)));
        return;
    }
  }

  clear(): void {
    if (this.#todos.size > 0) this.#replace([]);
  }

  #created(input: unknown, task: unknown): void {
    const id = textAt(task, 'id');
    if (id === undefined) return;
    const activeForm = textAt(input, 'activeForm');
    const text = textAt(task, 'subject') ?? textAt(input, 'subject') ?? '';
    this.#todos.set(id, {
      id,
      text,
      state: 'pending',
      ...described(input),
      ...(activeForm === undefined ? {} : { activeForm }),
    });
    this.#emit();
  }

  #updated(input: unknown): void {
    const id = textAt(input, 'taskId') ?? '';
    const status = textAt(input, 'status');
    if (status === 'deleted') {
      if (this.#todos.delete(id)) this.#emit();
      return;
    }
    const known = this.#todos.get(id) ?? { id, text: textAt(input, 'subject') ?? `#${id}`, state: 'pending' };
    const text = textAt(input, 'subject');
    const activeForm = textAt(input, 'activeForm');
    const owner = textAt(input, 'owner');
    const blockedBy = [...(known.blockedBy ?? []), ...texts(recordOf(input).addBlockedBy)];
    this.#todos.set(id, {
      ...known,
      ...(text === undefined ? {} : { text }),
      ...described(input),
      ...(status === undefined ? {} : { state: stateOf(status) }),
      ...(activeForm === undefined ? {} : { activeForm }),
      ...(owner === undefined ? {} : { owner }),
      ...(blockedBy.length === 0 ? {} : { blockedBy }),
    });
    this.#emit();
  }

  /** One task with all details. */
  #read(task: unknown): void {
    const id = textAt(task, 'id');
    if (id === undefined) return;
    this.#todos.set(id, this.#fromList(task));
    this.#emit();
  }

  /** Lists have no descriptions: known ones are kept. */
  #fromList(task: unknown): Todo {
    const id = textAt(task, 'id') ?? '';
    const known = this.#todos.get(id);
    const activeForm = known?.activeForm;
    const owner = textAt(task, 'owner');
    const blockedBy = texts(recordOf(task).blockedBy);
    return {
      id,
      text: textAt(task, 'subject') ?? '',
      state: stateOf(textAt(task, 'status')),
      ...(known?.description === undefined ? {} : { description: known.description }),
      ...described(task),
      ...(activeForm === undefined ? {} : { activeForm }),
      ...(owner === undefined ? {} : { owner }),
      ...(blockedBy.length === 0 ? {} : { blockedBy }),
    };
  }

  #replace(todos: readonly Todo[]): void {
    this.#todos.clear();
    for (const todo of todos) this.#todos.set(todo.id, todo);
    this.#emit();
  }

  #emit(): void {
    this.#out.put({ kind: 'todos.replaced', todos: [...this.#todos.values()] });
  }
}

function fromTodoWrite(value: unknown, index: number): Todo {
  const activeForm = textAt(value, 'activeForm');
  return {
    id: textAt(value, 'id') ?? String(index + 1),
    text: textAt(value, 'content') ?? '',
    state: stateOf(textAt(value, 'status')),
    ...(activeForm === undefined ? {} : { activeForm }),
  };
}

const MAX_DESCRIPTION = 2000;

function described(value: unknown): { description?: string } {
  const description = textAt(value, 'description');
  return description ? { description: description.slice(0, MAX_DESCRIPTION) } : {};
}

function stateOf(status: string | undefined): Todo['state'] {
  if (status === 'completed') return 'done';
  return status === 'in_progress' ? 'active' : 'pending';
}

function texts(value: unknown): string[] {
  return listOf(value).filter((item): item is string => typeof item === 'string');
}
