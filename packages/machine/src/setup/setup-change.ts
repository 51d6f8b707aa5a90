/** Applies one change to one file of an agent's setup, after its preview (A61). */
import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { commandLine, KNOWN_SETUPS, type SwitchedItem } from '@tugdeck/drivers/setup/known-setups';
import { errnoOf } from '@tugdeck/local/files/file-faults';
import { removeNoFollow, replaceNoFollow } from '@tugdeck/local/files/no-follow-file';
import type { SetupChange, SetupPreview } from '@tugdeck/protocol/areas/agent-setup';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import { programsIn } from '@tugdeck/trust/texts';
import { differenceOf } from './difference.ts';
import { hiderFor } from './hide-values.ts';
import { withLineEndsOf } from './line-ends.ts';
import { type FoundPlace, filesOf, findPlaces, freshFile, switchPlaceOf } from './places.ts';
import { bytesOf, MAX_FILE, readPlaced, type SetupReading, shownPath } from './setup-files.ts';

const NEW_NAME = /^[A-Za-z0-9_@][\w.@/-]{0,99}$/;
/** A package, or a file of the user. */
const NEW_PLUGIN = /^(?:file:\/\/|\.{1,2})?[A-Za-z0-9_@/][\w.@/-]{0,400}$/;
const NEW_FILE = /^[A-Za-z0-9_][\w.-]{0,99}$/;

/** A change and the resulting file. */
export interface PlannedChange {
  readonly place: FoundPlace;
  /** Relative to the place's root, links resolved. */
  readonly path: string;
  readonly before: string | undefined;
  /** Undefined: the file is removed. */
  readonly after: string | undefined;
  readonly preview: SetupPreview;
  readonly agents: readonly string[];
}

export function planChange(change: SetupChange, reading: SetupReading): PlannedChange {
  const description = KNOWN_SETUPS.find(({ agents }) => agents.includes(change.agent));
  const place = description && findPlaces(description, reading).find(({ id }) => id === change.place);
  if (!description || !place) throw new CodedError('NOT_FOUND', 'This configuration no longer exists.');
  return { ...planIn(place, change, reading), agents: description.agents };
}

function planIn(
  found: FoundPlace,
  change: SetupChange,
  reading: SetupReading,
): Omit<PlannedChange, 'agents'> {
  const switched = change.type === 'switch' ? switchPlaceOf(found, reading) : undefined;
  if (!found.about.canEdit && !switched)
    throw new CodedError('NOT_FOUND', 'This configuration no longer exists.');
  const target = targetOf(found, change);
  const place = switched ?? found;
  const path = insideRoot(place.root, switched?.path ?? target.path);
  const bytes = bytesOf(place, path);
  if (bytes && !isUtf8(bytes)) throw refused('it is not encoded as UTF-8');
  const before = bytes?.toString('utf8');
  if (before === undefined && exists(join(place.root, path))) throw new CodedError('FILE_TOO_LARGE');
  if (change.key !== undefined && before === undefined && !switched)
    throw new CodedError('CONFIGURATION_CHANGED');
  const own = { text: before ?? '', key: target.key, isNew: before === undefined };
  const item = {
    key: target.key ?? '',
    file: join(found.root, target.path),
    text: switched ? (readPlaced(found, target.path) ?? '') : own.text,
  };
  const after = switched
    ? refusing(() =>
        found.about.switches?.switch(own.text, item, change.type === 'switch' && change.on, reading),
      )
    : resultOf(found, change, own, reading);
  const file = shownPath({ ...place, path }, reading);
  const hash = createHash('sha256')
    .update(JSON.stringify([place.root, path, before ?? null, after ?? null]))
    .digest('hex');
  const hide = refusing(() => hiderFor([before ?? '', after ?? '']));
  const preview: SetupPreview = {
    file,
    isNew: before === undefined,
    isRemoved: after === undefined,
    lines: differenceOf(before ?? '', after ?? '').map(({ mark, text }) => ({ mark, text: hide(text) })),
    runs: runsOf(found, change, item, reading),
    hash,
  };
  return { place, path, before, after, preview };
}

export async function applyChange(planned: PlannedChange, hash: string): Promise<void> {
  if (planned.preview.hash !== hash) throw new CodedError('CONFIGURATION_CHANGED');
  const { place, path, before, after } = planned;
  const location = { root: place.root, path };
  const isExpected = (there: { kind: string; content?: Buffer } | undefined) =>
    before === undefined
      ? there === undefined
      : there?.kind === 'file' && there.content?.toString('utf8') === before;
  try {
    if (after === undefined) await removeNoFollow(location, { maxBytes: MAX_FILE, isExpected });
    else {
      const mode = place.about.base === 'project' ? 0o644 : 0o600;
      await replaceNoFollow(location, Buffer.from(after), { mode, maxBytes: MAX_FILE, isExpected });
    }
  } catch (error) {
    if (error instanceof CodedError && error.code === 'REVIEW_CONFLICT')
      throw new CodedError('CONFIGURATION_CHANGED');
    throw error;
  }
}

function targetOf(place: FoundPlace, change: SetupChange): { path: string; key: string | undefined } {
  const { files, form } = place.about;
  if (change.key === undefined) {
    const name = change.type === 'set' ? (change.name ?? '') : '';
    const isNamed =
      form.type === 'server' || form.type === 'name' || (form.type === 'text' && files !== undefined);
    const pattern = form.type === 'text' ? NEW_FILE : form.type === 'name' ? NEW_PLUGIN : NEW_NAME;
    if (isNamed && !pattern.test(name))
      throw refused('use letters, digits, dots, dashes and underscores in the name');
    return { path: freshFile(place, name), key: undefined };
  }
  if (!files) return { path: place.path, key: change.key };
  if (form.type === 'text') {
    const file = filesOf(place).find(({ name }) => name === change.key);
    if (!file) throw new CodedError('CONFIGURATION_CHANGED');
    return { path: file.path, key: change.key };
  }
  const end = change.key.indexOf('\n');
  const file = filesOf(place).find(({ path }) => path === `${place.path}/${change.key?.slice(0, end)}`);
  if (!file) throw new CodedError('CONFIGURATION_CHANGED');
  return { path: file.path, key: change.key.slice(end + 1) };
}

function resultOf(
  { about }: FoundPlace,
  change: SetupChange,
  { text, key, isNew }: { text: string; key: string | undefined; isNew: boolean },
  reading: SetupReading,
): string | undefined {
  const { form } = about;
  return refusing(() => {
    if (change.type === 'switch') {
      if (form.type === 'text' || !form.switch || key === undefined)
        throw new SyntaxError("it can't be turned on or off");
      return form.switch(text, key, change.on, reading);
    }
    const { content } = change;
    if (form.type === 'text') {
      if (content === null) return undefined;
      if (content.type !== 'text') throw new SyntaxError('the item is a file, so its content must be text');
      if (change.key === undefined && !isNew) throw new SyntaxError('a file with this name already exists');
      if (content.text === '' && form.template) return form.template(change.name ?? '');
      return withLineEndsOf(text, content.text);
    }
    if (content !== null && content.type !== form.type)
      throw new SyntaxError(`the content is not a ${form.type}`);
    return form.write(text, { key, name: change.name ?? key ?? '', content: content ?? undefined }, reading);
  });
}

/** Parsers and forms throw with a reason that the user can act on. */
function refusing<T>(run: () => T): T {
  try {
    return run();
  } catch (error) {
    throw error instanceof CodedError ? error : refused((error as Error).message);
  }
}

function refused(why: string): CodedError {
  return new CodedError(
    'DATA_UNREADABLE',
    `The file was left as it is: ${why}.`,
    'Change it, or edit the file itself.',
  );
}

/** Commands that the agent will run because of a change. */
function runsOf(
  { about }: FoundPlace,
  change: SetupChange,
  { key, text }: SwitchedItem,
  reading: SetupReading,
): string[] {
  const { form, kind } = about;
  const isOn = change.type === 'switch' ? change.on : change.content !== null;
  const item = form.type === 'text' ? undefined : form.read(text, reading).find((one) => one.key === key);
  // Its servers and hooks are known only after it is installed.
  if (kind === 'plugin') {
    const added = change.type === 'set' ? change.name : undefined;
    return isOn ? [`plugin ${added ?? item?.name ?? key}`] : [];
  }
  if (change.type === 'switch') return isOn && item?.runs !== undefined ? [item.runs] : [];
  const { content } = change;
  if (content?.type === 'server' && content.command !== undefined) return [commandLine(content)];
  if (content?.type === 'hook') return [content.command];
  if (content?.type === 'text') return programsIn(content.text).commands;
  return [];
}

/** The target of links, relative to the root; refused if it is outside. */
function insideRoot(root: string, path: string): string {
  try {
    const top = realpathSync(root);
    const real = realpathSync(join(top, path));
    if (!real.startsWith(top.endsWith(sep) ? top : top + sep)) throw new CodedError('PATH_OUTSIDE');
    return relative(top, real).split(sep).join('/');
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return path;
    throw error;
  }
}

function exists(path: string): boolean {
  try {
    realpathSync(path);
    return true;
  } catch {
    return false;
  }
}
