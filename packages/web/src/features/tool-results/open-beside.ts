/** Opens the file or review that an entry refers to beside the conversation. */

import { kindByName } from '../../kit/card-kinds.ts';
import { useClient } from '../../kit/client-context.tsx';
import { openChanges } from '../../kit/open-changes.ts';
import { placeOfSession } from '../../kit/place.ts';
import { useSelected } from '../../kit/use-readable.ts';
import { useCard } from '../conversation/card-context.tsx';
import { projectPath, useDirectory } from '../conversation/project-paths.ts';

export interface OpenBeside {
  /** Undefined outside the project. */
  readonly file: (path: string, line?: number) => (() => void) | undefined;
  readonly review: ((path: string) => void) | undefined;
}

export function useOpenBeside(): OpenBeside {
  const client = useClient();
  const { session } = useCard();
  const directory = useDirectory();
  const project = useSelected(client.deck, (deck) => placeOfSession(deck, session));
  const canOpen = project !== undefined && kindByName('file') !== undefined;
  const canReview = project !== undefined && kindByName('review') !== undefined;
  return {
    file: (path, line) => {
      const item = projectPath(path, directory);
      const isInside = item !== '.' && !/^(?:[\\/]|[a-z]:|\.\.(?:[\\/]|$))/i.test(item);
      if (!canOpen || !isInside) return undefined;
      // Loaded with the first opened file, not with the page.
      return () => void import('../files/open-file.ts').then(({ openFile }) => openFile(project, item, line));
    },
    review: canReview ? () => openChanges(project, session) : undefined,
  };
}
