/** All feeds the server offers. Add a new feed here. */
import { filesFeed } from '../files/files-feed.ts';
import { gitFeed } from '../git/git-feed.ts';
import { searchFeed } from '../reader/search-feed.ts';
import { reviewFeed } from '../review/review-feed.ts';
import type { Services } from '../services.ts';
import { type ServerAccess, settingsFeed } from '../settings/settings-feed.ts';
import { statsFeed } from '../stats/stats-feed.ts';
import { terminalFeed } from '../terminals/terminal-feed.ts';
import { type AnyFeedKind, feedKind } from './feed-kind.ts';

export function feedKinds(services: Services, access: ServerAccess): readonly AnyFeedKind[] {
  return [
    feedKind(filesFeed(services.files)),
    feedKind(gitFeed(services.git)),
    feedKind(reviewFeed(services.review)),
    feedKind(settingsFeed(services.settings, access)),
    feedKind(statsFeed(services.stats)),
    searchFeed(services.reader, services.projects),
    feedKind(terminalFeed(services)),
  ];
}
