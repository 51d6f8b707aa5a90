/** A push being prepared: its preview, the user's decisions, and sending it. */
import { git as gitArea } from '@tugdeck/protocol/areas/git';
import type { PushPreview, PushRequest } from '@tugdeck/protocol/git/network-messages';
import { useState } from 'react';
import { faultText } from '../../kit/deck-actions.ts';
import { useArea, useReply } from '../../kit/use-area.ts';

interface Fault {
  readonly text: string;
  readonly code: string | undefined;
}

export interface PreparedPush {
  readonly preview: PushPreview | undefined;
  /** Why it can't be previewed. */
  readonly fault: string | undefined;
  readonly failed: Fault | undefined;
  readonly isBusy: boolean;
  readonly overwrite: boolean;
  readonly anyway: boolean;
  readonly setOverwrite: (overwrite: boolean) => void;
  readonly setAnyway: (anyway: boolean) => void;
  readonly setRemote: (remote: string) => void;
  /** Whether there is something that the user has to confirm. */
  readonly needsAnyway: boolean;
  readonly isConfirmed: boolean;
  /** Resolves with whether it succeeded. */
  readonly push: () => Promise<boolean>;
  readonly stop: () => void;
}

export function usePush(place: string, branch?: string): PreparedPush {
  const area = useArea(gitArea, { project: place });
  const [remote, setRemote] = useState<string>();
  const [overwrite, setOverwrite] = useState(false);
  const [anyway, setAnyway] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [failed, setFailed] = useState<Fault>();
  const status = area.state?.kind === 'repository' ? area.state : undefined;
  const { value, fault } = useReply(
    isBusy ? undefined : area.channel,
    'push.look',
    { ...(branch === undefined ? {} : { branch }), ...(remote === undefined ? {} : { remote }) },
    `${status?.branch} ${status?.commit} ${status?.upstream?.ahead} ${status?.upstream?.behind} ${failed?.text}`,
  );
  const push = async () => {
    if (!value || !area.channel) return false;
    setBusy(true);
    setFailed(undefined);
    try {
      await area.channel.call('push', requestOf(value, overwrite, anyway));
      return true;
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : undefined;
      setFailed({ text: faultText(error), code });
      return false;
    } finally {
      setBusy(false);
    }
  };
  const needsAnyway = value !== undefined && (value.secrets.length > 0 || value.unchecked !== undefined);
  return {
    ...{ fault, failed, isBusy, overwrite, anyway, setOverwrite, setAnyway, setRemote, needsAnyway, push },
    preview: value,
    isConfirmed: (value?.lost === undefined || overwrite) && (!needsAnyway || anyway),
    stop: () => void area.channel?.call('network.stop').catch(() => undefined),
  };
}

function requestOf(preview: PushPreview, overwrite: boolean, anyway: boolean): PushRequest {
  const { branch, remote, commit, seen, lost } = preview;
  return {
    ...{ branch, remote, commit },
    ...(seen === undefined ? {} : { seen }),
    ...(lost && overwrite ? { overwrite } : {}),
    ...(anyway ? { anyway } : {}),
  };
}
