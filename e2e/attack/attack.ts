/** The type of an attack, and helpers that describe its outcome. The files beside this one hold the attacks, by attacker. */
import type { HttpResponse, Visitor, World } from './world.ts';

export interface Attack {
  readonly who:
    | 'web page'
    | 'network'
    | 'page'
    | 'app'
    | 'machine'
    | 'NATS client'
    | 'repository'
    | 'project'
    | 'other user'
    | 'transcript'
    | 'agent'
    | 'terminal';
  readonly name: string;
  /** Why it can't run on this machine, or nothing. */
  readonly skipped?: () => string | undefined;
  /** Returns the problems found. Leaves the product usable for the next attack. */
  run(world: World): Promise<readonly string[]>;
}

/** The content of a world-readable file that the product must never serve. */
export const SECRET = 'root:x:0:0';

/**
 * The problem with a response that should have been a refusal. A cut connection (status 0) is one: the reset for the
 * unread rest of a large body can overtake the response.
 */
export function refused(what: string, answer: HttpResponse, ...statuses: number[]): string[] {
  const { status } = answer;
  const isRefused = statuses.length > 0 ? statuses.includes(status) : status === 0 || status >= 400;
  const leaks = answer.body.includes(SECRET) ? [`${what}: gave a secret`] : [];
  return isRefused ? leaks : [`${what}: ${answer.status}`, ...leaks];
}

export function unless(isFine: boolean, words: string): string[] {
  return isFine ? [] : [words];
}

export async function alive(world: World): Promise<string[]> {
  return unless((await world.own('/api/me')).status === 200, 'the server no longer answers');
}

export async function withVisitor<T>(
  world: World,
  use: (visitor: Visitor, project: string) => Promise<T>,
): Promise<T> {
  const visitor = await world.visitor();
  try {
    const { deck } = await visitor.welcome();
    return await use(visitor, deck.projects[0]?.id ?? '');
  } finally {
    visitor.close();
  }
}
