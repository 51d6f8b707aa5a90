/** The settings feed as state: the live settings and how to change them. */
import type { FeedChannel } from '@tugdeck/client/feeds';
import {
  type Settings,
  settingsPushSchema,
  settingsSchema,
} from '@tugdeck/protocol/settings/settings-messages';
import { useCallback, useEffect, useState } from 'react';
import { useClient } from '../../app/client-context.tsx';
import { faultText } from '../../app/deck-actions.ts';

export interface SettingsState {
  readonly settings: Settings | undefined;
  readonly fault: string | undefined;
  /** Resolves when the file is written; false if refused. */
  readonly change: (request: object) => Promise<boolean>;
}

export function useSettings(): SettingsState {
  const client = useClient();
  const [feed, setFeed] = useState<FeedChannel>();
  const [settings, setSettings] = useState<Settings>();
  const [fault, setFault] = useState<string>();

  const change = useCallback(
    async (request: object) => {
      if (!feed) return false;
      try {
        setSettings(settingsSchema.parse(await feed.request(request)));
        setFault(undefined);
        return true;
      } catch (error) {
        setFault(faultText(error));
        return false;
      }
    },
    [feed],
  );

  useEffect(() => {
    const channel = client.openFeed('settings', {});
    setFeed(channel);
    const unlisten = channel.onPush((push) => {
      const parsed = settingsPushSchema.safeParse(push);
      if (parsed.success) setSettings(parsed.data.settings);
    });
    return () => {
      unlisten();
      channel.close();
    };
  }, [client]);

  useEffect(() => {
    if (!feed) return;
    const read = () => {
      if (feed.state.get() === 'open') void change({ type: 'read' });
    };
    read();
    return feed.state.subscribe(read);
  }, [feed, change]);

  return { settings, fault, change };
}
