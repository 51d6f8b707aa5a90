/** Search over all machines that are online (N7): each searches its own conversations, the results are merged. */
import { setTimeout as wait } from 'node:timers/promises';
import type { LinkedMachine } from '@tugdeck/link/linked-machine';
import type { AreaChannel } from '@tugdeck/machine/port';
import { type SearchAnswer, searchAnswerSchema, searchSchema } from '@tugdeck/protocol/search/search';

/** A machine that answers later is left out (N15). */
const LATE_MS = 3_000;
const NOTHING: SearchAnswer = { hits: [], more: false, unread: 0 };

export function searchEverywhere(
  local: AreaChannel,
  remotes: readonly LinkedMachine[],
  remoteOf: (project: string) => LinkedMachine | undefined,
): AreaChannel {
  return {
    ...local,
    async call(ask) {
      const { project, ...rest } = ask;
      const remote = typeof project === 'string' ? remoteOf(project) : undefined;
      const { data: search } = searchSchema.safeParse(rest);
      if (!search || (project !== undefined && !remote)) return local.call(ask);
      if (remote) {
        const path = remote.rows.head.projects.find(({ id }) => id === project)?.path;
        return searchOn(remote, path === undefined ? search : { ...search, directory: path });
      }
      const answers = await Promise.all([
        local.call(ask).then((answer) => searchAnswerSchema.parse(answer)),
        ...remotes.map((one) =>
          Promise.race([searchOn(one, search), wait(LATE_MS, NOTHING, { ref: false })]).catch(() => NOTHING),
        ),
      ]);
      const hits = interleaved(answers.map((answer) => answer.hits));
      return {
        hits: hits.slice(0, search.limit),
        more: answers.some(({ more }) => more) || hits.length > search.limit,
        unread: answers.reduce((sum, { unread }) => sum + unread, 0),
      };
    },
  };
}

/** The best of each first: weights of different indexes cannot be compared. */
function interleaved<T>(lists: readonly (readonly T[])[]): T[] {
  const longest = Math.max(...lists.map(({ length }) => length));
  return Array.from({ length: longest }, (_, at) => lists.flatMap((list) => list.slice(at, at + 1))).flat();
}

/** A machine may name only its own sessions (N21). */
async function searchOn(
  { port, rows }: LinkedMachine,
  search: Parameters<LinkedMachine['port']['search']>[0],
): Promise<SearchAnswer> {
  const answer = await port.search(search);
  return { ...answer, hits: answer.hits.filter(({ session }) => rows.owns(session)) };
}
