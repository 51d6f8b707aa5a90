/** The `search` feed (S5): forwards a page's search to the reader. Projects are given by id. */
import { type Search, searchSchema } from '@tugdeck/protocol/search/search';
import { z } from 'zod';
import { type AnyFeedKind, feedKind } from '../feeds/feed-kind.ts';
import type { Projects } from '../projects/projects.ts';
import type { ReaderProcess } from './reader-process.ts';

export function searchFeed(reader: ReaderProcess, projects: Projects): AnyFeedKind {
  return feedKind({
    name: 'search',
    about: z.object({}),
    ask: searchSchema.extend({ project: z.string().max(100).optional() }),
    open: () => ({
      ask: ({ project, ...search }) => reader.search(inProject(search, project, projects)),
      close: () => undefined,
    }),
  });
}

function inProject(search: Search, project: string | undefined, projects: Projects): Search {
  return project === undefined ? search : { ...search, directory: projects.get(project).path };
}
