/** The gateway's part of notifications (N52): it knows the devices and sends the messages. */
import type { PushDevice } from '@tugdeck/protocol/areas/push';

export interface PushAccess {
  /** The key of this server, for a browser's subscription. */
  readonly key: string;
  device(signIn: string): PushDevice | undefined;
  /** Throws a coded error for an address that must not be called. */
  save(signIn: string, device: PushDevice): void;
  remove(signIn: string): void;
  test(signIn: string): Promise<void>;
}
