/**
 * The place of a process (N1): a pid is valid only within one boot of one machine and one pid namespace. The machine
 * is identified by a hash, because the system's own id should not leave it.
 */
import { execFileSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname, platform } from 'node:os';
import { optional } from './shape.ts';

export interface Place {
  readonly machine?: string | undefined;
  readonly boot?: string | undefined;
  /** Linux only. */
  readonly namespace?: string | undefined;
  /** For people; proves nothing. */
  readonly hostname?: string | undefined;
}

const MAX_LENGTH = 255;
const isShortText = optional(
  (value) => typeof value === 'string' && value.length > 0 && value.length <= MAX_LENGTH,
);
export const PLACE_SHAPE = {
  machine: isShortText,
  boot: isShortText,
  namespace: isShortText,
  hostname: isShortText,
};

/** `here`: checked by pid. `past`: from an earlier boot, so it has ended. `elsewhere`: checked by its lease. */
export type Whereabouts = 'here' | 'past' | 'elsewhere';

let own: Place | undefined;

/** Cached; it cannot change while this process runs. */
export function ownPlace(): Place {
  own ??= platform() === 'darwin' ? darwinPlace() : linuxPlace();
  return own;
}

export function whereabouts(place: Place, self: Place = ownPlace()): Whereabouts {
  // Written by an older version, which knew only one machine. The start time distinguishes boots well enough.
  if (place.machine === undefined && place.boot === undefined) return hasOwnProc() ? 'here' : 'elsewhere';
  if (isOtherMachine(place, self)) return 'elsewhere';
  const isSameMachine = place.machine !== undefined && place.machine === self.machine;
  if (place.boot === undefined || place.boot !== self.boot) {
    const isOtherBoot = place.boot !== undefined && self.boot !== undefined;
    return isSameMachine && isOtherBoot ? 'past' : 'elsewhere';
  }
  // Boot ids are random, so the same boot id means the same kernel, even without a machine id.
  return place.namespace === self.namespace && hasOwnProc() ? 'here' : 'elsewhere';
}

export function isOtherMachine(place: Place, self: Place = ownPlace()): boolean {
  return place.machine !== undefined && self.machine !== undefined && place.machine !== self.machine;
}

export function describePlace(place: Place): string {
  const where = isOtherMachine(place) ? 'on another machine' : 'in another container or pid namespace';
  return place.hostname === undefined || place.hostname === ownPlace().hostname
    ? where
    : `${where} (${place.hostname})`;
}

let proc: boolean | undefined;

/** The `/proc` of another pid namespace shows other processes under our pids, so it must not be used for checks. */
export function hasOwnProc(): boolean {
  proc ??= platform() !== 'linux' || link('/proc/self') === String(process.pid);
  return proc;
}

function linuxPlace(): Place {
  const id = [text('/etc/machine-id'), text('/var/lib/dbus/machine-id')].find((one) =>
    /^(?!0{32})[0-9a-f]{32}$/.test(one ?? ''),
  );
  return compact({
    machine: id && hashed(id),
    boot: text('/proc/sys/kernel/random/boot_id'),
    namespace: link('/proc/self/ns/pid'),
    hostname: hostname(),
  });
}

function darwinPlace(): Place {
  let lines: string[] = [];
  try {
    const keys = ['-n', 'kern.bootsessionuuid', 'kern.uuid'];
    lines = execFileSync('sysctl', keys, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).split(
      '\n',
    );
  } catch {
    // Treated like a system without these ids.
  }
  const [boot, id] = lines.map((line) => line.trim());
  return compact({ machine: id && hashed(id), boot, hostname: hostname() });
}

function hashed(id: string): string {
  return createHmac('sha256', id).update('tugdeck').digest('hex').slice(0, 32);
}

function compact(place: { [key in keyof Place]: Place[key] | undefined }): Place {
  return Object.fromEntries(Object.entries(place).filter(([, value]) => value)) as Place;
}

function text(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    return undefined;
  }
}

function link(file: string): string | undefined {
  try {
    return readlinkSync(file);
  } catch {
    return undefined;
  }
}
