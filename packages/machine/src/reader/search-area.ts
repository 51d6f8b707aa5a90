/** Serves the search area (S5): forwards a page's search to the reader. Projects are given by id. */
import { search } from '@tugdeck/protocol/areas/search';
import { type ServedArea, serveArea } from '../areas/serve-area.ts';
import type { Projects } from '../projects/projects.ts';
import type { ReaderProcess } from './reader-process.ts';

export function serveSearch(reader: ReaderProcess, projects: Projects): ServedArea {
  return serveArea(search, () => ({
    calls: {
      search: ({ project, ...query }) =>
        reader.search(project === undefined ? query : { ...query, directory: projects.get(project).path }),
    },
  }));
}
