import { useClient } from '../kit/client-context.tsx';
import { useChannel } from '../kit/use-channel.ts';

/** Keeps the conversation of a hidden card up to date, so that switching to it is immediate (D3). */
export function KeepChannelOpen({ session }: { session: string }) {
  useChannel(useClient(), session);
  return null;
}
