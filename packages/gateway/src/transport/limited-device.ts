/**
 * Allow lists for a device that may only read and answer (N55), for every message and route.
 * Whatever is not named here is refused, also what is added later.
 */
import type { PageRequest } from '@tugdeck/machine/port';
import type { Answer } from '@tugdeck/protocol/conversation/commands';
import type { DeckRequest } from '@tugdeck/protocol/wire/deck';

const DECK: ReadonlySet<DeckRequest['type']> = new Set([
  'hello',
  'ping',
  'channel.open',
  'channel.close',
  'feed.open',
  'session.seen',
  'page.sight',
]);

/** Areas that only read, and this device's own notifications. */
const AREAS: ReadonlySet<string> = new Set(['search', 'push']);

/** Route patterns. Blobs are parts of conversations. */
const ROUTES: ReadonlySet<string> = new Set([
  '/api/me',
  '/api/sign-out',
  '/api/blob/:session/:hash',
  // Allows or denies once what a notification showed.
  '/api/answer',
]);

export function mayRequest(request: DeckRequest): boolean {
  return DECK.has(request.type) && (request.type !== 'feed.open' || AREAS.has(request.feed));
}

export function mayUseRoute(route: string): boolean {
  return ROUTES.has(route);
}

export function maySend(request: PageRequest): boolean {
  switch (request.type) {
    case 'follow':
    case 'entries':
    case 'text':
      return true;
    case 'command': {
      const { command } = request;
      if (command.kind === 'turn.cancel') return true;
      return command.kind === 'request.answer' && command.by === undefined && isPlainAnswer(command.answer);
    }
    default:
      return false;
  }
}

/**
 * Allows or denies once what was shown. An option could allow forever, an edited input or plan could be anything, and a
 * mode could stop the agent from asking.
 */
function isPlainAnswer(answer: Answer): boolean {
  switch (answer.type) {
    case 'permission':
      return (
        answer.option === undefined &&
        answer.input === undefined &&
        (answer.behavior === 'deny' || (answer.message === undefined && answer.interrupt === undefined))
      );
    case 'plan':
      return (
        answer.plan === undefined &&
        answer.mode === undefined &&
        (!answer.approve || answer.message === undefined)
      );
    case 'question':
    case 'form':
      return true;
  }
}
