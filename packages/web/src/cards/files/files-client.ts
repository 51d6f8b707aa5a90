/**
 * Client for one project's files feed; requests, replies and pushes pass schemas. One feed per project, shared by
 * the tree, open files and quick open, and closed with its last user.
 */
import type { Client } from '@tugdeck/client/client';
import type { FeedChannel } from '@tugdeck/client/feeds';
import {
  FILES_VALUES,
  type FilesAsk,
  type FilesPush,
  type FilesValue,
  filesPushSchema,
} from '@tugdeck/protocol/files/messages';

type RequestBody<Do extends FilesAsk['do']> = Omit<Extract<FilesAsk, { do: Do }>, 'do'>;

export interface FilesClient {
  readonly project: string;
  readonly state: FeedChannel['state'];
  request<Do extends FilesAsk['do']>(what: Do, with_: RequestBody<Do>): Promise<FilesValue<Do>>;
  onPush(listener: (push: FilesPush) => void): () => void;
  /** Called when the feed is reopened: cached data may be outdated. */
  onOpen(listener: () => void): () => void;
  /** Each caller releases it once. */
  release(): void;
}

interface SharedFeed {
  readonly feed: FeedChannel;
  readonly pushes: Set<(push: FilesPush) => void>;
  readonly opens: Set<() => void>;
  users: number;
  end: () => void;
}

const feeds = new WeakMap<Client, Map<string, SharedFeed>>();

export function acquireFilesClient(client: Client, project: string): FilesClient {
  const all = feeds.get(client) ?? new Map<string, SharedFeed>();
  feeds.set(client, all);
  const one = all.get(project) ?? openFiles(client, project);
  all.set(project, one);
  one.users += 1;
  let isReleased = false;
  return {
    project,
    state: one.feed.state,
    async request(what, with_) {
      const value = await one.feed.request({ do: what, ...with_ });
      return FILES_VALUES[what].parse(value) as FilesValue<typeof what>;
    },
    onPush: (listener) => listen(one.pushes, listener),
    onOpen: (listener) => listen(one.opens, listener),
    release() {
      if (isReleased) return;
      isReleased = true;
      one.users -= 1;
      if (one.users > 0) return;
      all.delete(project);
      one.end();
    },
  };
}

function openFiles(client: Client, project: string): SharedFeed {
  const feed = client.openFeed('files', { project });
  const pushes = new Set<(push: FilesPush) => void>();
  const opens = new Set<() => void>();
  const unpush = feed.onPush((value) => {
    const push = filesPushSchema.safeParse(value);
    // Unknown pushes come from a newer server and are ignored.
    if (push.success) for (const listener of [...pushes]) listener(push.data);
  });
  let wasOpen = feed.state.get() === 'open';
  const unwatch = feed.state.subscribe(() => {
    const isOpen = feed.state.get() === 'open';
    if (isOpen && !wasOpen) for (const listener of [...opens]) listener();
    wasOpen = isOpen;
  });
  const end = () => {
    unpush();
    unwatch();
    feed.close();
  };
  return { feed, pushes, opens, users: 0, end };
}

function listen<T>(listeners: Set<T>, listener: T): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
