/** Opens what an entry speaks of in a card beside the conversation: a file, or the review of what was changed. */
import { useClient } from '../../../app/client-context.tsx';
import { kindByName } from '../../../app/dock/known-kinds.ts';
import { openCard } from '../../../app/dock/open-card.ts';
import { useSelected } from '../../../ui/use-readable.ts';
import { useCard } from '../card-context.tsx';
import { insideOf, useDirectory } from './project-paths.ts';

export interface OpenBeside {
  /** Undefined for what lies outside the project. */
  readonly file: (path: string, line?: number) => (() => void) | undefined;
  readonly review: ((path: string) => void) | undefined;
}

export function useOpenBeside(): OpenBeside {
  const client = useClient();
  const { session } = useCard();
  const directory = useDirectory();
  const project = useSelected(
    client.deck,
    (deck) => deck?.sessions.find(({ id }) => id === session)?.project,
  );
  const canOpen = project !== undefined && kindByName('file') !== undefined;
  const canReview = project !== undefined && kindByName('review') !== undefined;
  return {
    file: (path, line) => {
      const item = insideOf(path, directory);
      const isInside = item !== '.' && !/^(?:[\\/]|[a-z]:|\.\.(?:[\\/]|$))/i.test(item);
      if (!canOpen || !isInside) return undefined;
      // Loaded with the first file that is opened: the page begins without it.
      return () =>
        void import('../../file/open-file.ts').then(({ openFile }) => openFile(project, item, line));
    },
    review: canReview ? () => openCard('review', { project, session }) : undefined,
  };
}
