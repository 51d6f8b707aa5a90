/** Every feed the server offers, in one list: an area adds its line here and is known to all pages. */
import { filesFeed } from '../files/files-feed.ts';
import { gitFeed } from '../git/git-feed.ts';
import { searchFeed } from '../reader/search-feed.ts';
import { reviewFeed } from '../review/review-feed.ts';
import type { Rooms } from '../rooms.ts';
import { type Reach, settingsFeed } from '../settings/settings-feed.ts';
import { statsFeed } from '../stats/stats-feed.ts';
import { terminalFeed } from '../terminals/terminal-feed.ts';
import { type AnyFeedKind, feedKind } from './feed-kind.ts';

export function feedKinds(rooms: Rooms, reach: Reach): readonly AnyFeedKind[] {
  return [
    feedKind(filesFeed(rooms.files)),
    feedKind(gitFeed(rooms.git)),
    feedKind(reviewFeed(rooms.review)),
    feedKind(settingsFeed(rooms.settings, reach)),
    feedKind(statsFeed(rooms.stats)),
    searchFeed(rooms.reader, rooms.projects),
    feedKind(terminalFeed(rooms)),
  ];
}
