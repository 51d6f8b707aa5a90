/**
 * The random id by which a machine is known to others (N3), in `machine.json` of its data directory, bound to the system it
 * was made on. A directory that was copied from another machine, or that two machines share, is noticed: whoever
 * starts a server decides. Each system that shares a directory has an id of its own in it.
 */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import { z } from 'zod';
import { ownPlace, type Place } from './place.ts';
import { writePrivate } from './private-file.ts';

/** `new`: the other machine goes on using its data, so this one gets an id. `moved`: this machine is the other's successor. */
export const MACHINE_CHOICES = ['new', 'moved'] as const;
export type MachineChoice = (typeof MACHINE_CHOICES)[number];

const boundSchema = z.object({
  id: z.uuid(),
  /** That of the system, hashed; absent where it has none, as in many containers. */
  system: z.string().min(1).max(255).optional(),
  /** For people. */
  hostname: z.string().max(255).optional(),
});
type Bound = z.infer<typeof boundSchema>;
/** Systems that share a directory; containers may come with a new id each time. */
const MOST = 100;
const fileSchema = z.object({ machines: z.array(boundSchema).min(1).max(MOST) });

/** This machine's id, made at the first start. Throws MACHINE_CHANGED where only the user can tell which it is. */
export function keepMachine(
  { root }: { readonly root: string },
  choice?: MachineChoice,
  { machine: system }: Place = ownPlace(),
): string {
  const file = machineFile(root);
  const known = readMachines(file);
  const found = known.find((one) => one.system === system) ?? unbound(known, system);
  if (found) {
    if (found.system === undefined && system !== undefined) write(file, rebound(known, found, system));
    return found.id;
  }
  const last = known.at(-1);
  if (last && choice === undefined) throw changed(last);
  if (last && choice === 'moved') {
    write(file, rebound(known, last, system));
    return last.id;
  }
  const made: Bound = { id: randomUUID(), ...bindTo(system) };
  write(file, [...known, made].slice(-MOST));
  return made.id;
}

export function machineFile(root: string): string {
  return join(root, 'machine.json');
}

/** A system without an id cannot be told from another; nor can a directory that was made on one. */
function unbound(known: readonly Bound[], system: string | undefined): Bound | undefined {
  return system === undefined ? known.at(-1) : known.find((one) => one.system === undefined);
}

function rebound(known: readonly Bound[], one: Bound, system: string | undefined): Bound[] {
  return [...known.filter((other) => other !== one), { id: one.id, ...bindTo(system) }];
}

function bindTo(system: string | undefined): Omit<Bound, 'id'> {
  return { ...(system === undefined ? {} : { system }), hostname: hostname().slice(0, 255) };
}

function changed({ hostname: name }: Bound): CodedError {
  const whose = name === undefined || name === hostname() ? 'another machine' : `another machine, ${name}`;
  return new CodedError('MACHINE_CHANGED', `This data directory belongs to ${whose}.`);
}

function readMachines(file: string): Bound[] {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
  try {
    return fileSchema.parse(JSON.parse(text)).machines;
  } catch {
    throw new CodedError(
      'DATA_UNREADABLE',
      `${file} is not what Tugdeck writes there.`,
      'Move the file away; this machine then gets a new id.',
    );
  }
}

function write(file: string, machines: readonly Bound[]): void {
  writePrivate(file, `${JSON.stringify({ machines }, undefined, 2)}\n`);
}
