/** Live contents of the agents' own files (W6). */
import type { FeedChannel } from '@tugdeck/client/feeds';
import {
  type AgentFiles,
  agentFilesPushSchema,
  agentFilesSchema,
} from '@tugdeck/protocol/settings/agent-files';
import { useEffect, useState } from 'react';
import { useClient } from '../../app/client-context.tsx';
import { faultText } from '../../app/deck-actions.ts';

export interface AgentFilesState {
  readonly files: AgentFiles | undefined;
  readonly fault: string | undefined;
}

export function useAgentFiles(project: string | undefined): AgentFilesState {
  const client = useClient();
  const [state, setState] = useState<AgentFilesState>({ files: undefined, fault: undefined });
  useEffect(() => {
    const channel: FeedChannel = client.openFeed('settings', {});
    const unlisten = channel.onPush((push) => {
      const parsed = agentFilesPushSchema.safeParse(push);
      if (parsed.success) setState({ files: parsed.data.agentFiles, fault: undefined });
    });
    const read = async () => {
      if (channel.state.get() !== 'open') return;
      try {
        const files = agentFilesSchema.parse(
          await channel.request({ type: 'agents', ...(project ? { project } : {}) }),
        );
        setState({ files, fault: undefined });
      } catch (error) {
        setState({ files: undefined, fault: faultText(error) });
      }
    };
    void read();
    const unsubscribe = channel.state.subscribe(() => void read());
    return () => {
      unsubscribe();
      unlisten();
      channel.close();
    };
  }, [client, project]);
  return state;
}
