/** All areas that pages can open. Add a new area here. */
import { serveAccounts } from '../agents/accounts-area.ts';
import { serveRegistry } from '../agents/registry-area.ts';
import { serveAttempts } from '../attempts/attempts-area.ts';
import { serveEditors } from '../editors/editors-area.ts';
import { serveFiles } from '../files/files-area.ts';
import { servePulls } from '../forge/pulls-area.ts';
import { serveGit } from '../git/git-area.ts';
import { servePreviews } from '../preview/preview-area.ts';
import { servePreviewConnections } from '../preview/preview-connection.ts';
import { serveSearch } from '../reader/search-area.ts';
import { serveReview } from '../review/review-area.ts';
import type { Services } from '../services.ts';
import { servePush } from '../settings/push-area.ts';
import { type ServerAccess, serveSettings } from '../settings/settings-area.ts';
import { serveSetup } from '../setup/setup-area.ts';
import { serveStats } from '../stats/stats-area.ts';
import { serveTerminals } from '../terminals/terminal-area.ts';
import { serveWorkspaces } from '../workspaces/workspaces-area.ts';
import type { ServedArea } from './serve-area.ts';

export function servedAreas(services: Services, access: ServerAccess): readonly ServedArea[] {
  return [
    serveFiles(services.files),
    serveGit(services.git),
    serveReview(services.review),
    serveSearch(services.reader, services.projects),
    serveSettings(services.settings, access),
    serveStats(services.stats),
    serveTerminals(services),
    serveRegistry(services.registry),
    serveSetup(services.setup),
    serveAccounts(services.accounts),
    serveWorkspaces(services),
    servePulls(services),
    serveAttempts(services),
    servePreviews(services, access.previews),
    servePreviewConnections(services, access.previews),
    serveEditors(services.projects),
    servePush(access.push),
  ];
}
