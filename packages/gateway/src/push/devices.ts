/** Browsers that want messages, by sign-in. A sign-in that ended gets none, whatever is stored. */
import { type PushDevice, pushDeviceSchema } from '@tugdeck/protocol/areas/push';
import type { SettingTable } from '@tugdeck/store/setting-table';
import type { SignInTable } from '@tugdeck/store/sign-in-table';
import { z } from 'zod';

const SETTING = 'push-devices';
const storedSchema = z.record(z.string(), pushDeviceSchema);

export interface KnownDevice {
  readonly signIn: string;
  readonly device: PushDevice;
}

export class PushDevices {
  readonly #settings: SettingTable;
  readonly #signIns: SignInTable;
  readonly #now: () => number;

  constructor(settings: SettingTable, signIns: SignInTable, now: () => number) {
    this.#settings = settings;
    this.#signIns = signIns;
    this.#now = now;
  }

  /** The one used last first. */
  all(): KnownDevice[] {
    const stored = this.#stored();
    return this.#signIns
      .list(this.#now())
      .toSorted((a, b) => b.usedAt - a.usedAt)
      .flatMap(({ id }) => {
        const device = stored.get(id);
        return device ? [{ signIn: id, device }] : [];
      });
  }

  get(signIn: string): PushDevice | undefined {
    return this.all().find((one) => one.signIn === signIn)?.device;
  }

  save(signIn: string, device: PushDevice): void {
    // A browser that signed in again keeps its subscription.
    const others = this.all().filter(
      (one) => one.signIn !== signIn && one.device.endpoint !== device.endpoint,
    );
    this.#store([...others, { signIn, device }]);
  }

  remove(signIn: string): void {
    this.#store(this.all().filter((one) => one.signIn !== signIn));
  }

  #stored(): ReadonlyMap<string, PushDevice> {
    const text = this.#settings.get(SETTING);
    return new Map(text === undefined ? [] : Object.entries(storedSchema.parse(JSON.parse(text))));
  }

  #store(devices: readonly KnownDevice[]): void {
    this.#settings.set(
      SETTING,
      JSON.stringify(Object.fromEntries(devices.map((one) => [one.signIn, one.device]))),
    );
  }
}
