/** Runs the readers of `reading.ts` to the end in one go, for programs that serve no other clients. */

import { runToEnd } from '@tugdeck/local/cooperative';
import type { Change } from '@tugdeck/protocol/conversation/changes';
import type { Entry } from '@tugdeck/protocol/conversation/entries';
import type { Todo } from '@tugdeck/protocol/conversation/session-info';
import type { Conversation } from '@tugdeck/protocol/conversation/state';
import type { Page } from '@tugdeck/protocol/conversation/window';
import {
  changesAfter,
  closedEntry,
  entryOf,
  type Journal,
  page,
  type ReadOptions,
  tail,
  todosBefore,
} from './reading.ts';

export type { ReadOptions } from './reading.ts';

export function readTail(journal: Journal, options?: ReadOptions): Conversation | undefined {
  return runToEnd(tail(journal, options));
}

export function readPage(journal: Journal, before: number, limit: number, options?: ReadOptions): Page {
  return runToEnd(page(journal, before, limit, options));
}

export function changesSince(journal: Journal, v: number, options?: ReadOptions): Change[] | undefined {
  return runToEnd(changesAfter(journal, v, options));
}

export function findEntry(journal: Journal, id: string, options?: ReadOptions): Entry | undefined {
  return runToEnd(entryOf(journal, id, options));
}

export function readClosedEntry(
  journal: Journal,
  seq: number,
  id: string,
  options?: ReadOptions,
): Entry | undefined {
  return runToEnd(closedEntry(journal, { seq, id }, options));
}

export function readTodosBefore(
  journal: Journal,
  at: { readonly seq: number; readonly isEnd: (change: Change) => boolean },
  options?: ReadOptions,
): readonly Todo[] | undefined {
  return runToEnd(todosBefore(journal, at, options));
}
