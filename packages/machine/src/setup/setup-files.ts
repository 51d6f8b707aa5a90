/** Reads the setup of agents (A61). Reading runs nothing. */
import { join } from 'node:path';
import { KNOWN_SETUPS, type SetupDescription, type SwitchedItem } from '@tugdeck/drivers/setup/known-setups';
import { readBounded } from '@tugdeck/local/bounded-file';
import {
  type AgentSetupState,
  SETUP_KINDS,
  type SetupItem,
  type SetupKindState,
} from '@tugdeck/protocol/areas/agent-setup';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import { programsIn } from '@tugdeck/trust/texts';
import {
  type FoundFile,
  type FoundPlace,
  filesOf,
  findPlaces,
  type PlaceOptions,
  switchPlaceOf,
} from './places.ts';

export const MAX_FILE = 8 * 1024 * 1024;
const MAX_TEXT = 512 * 1024;
/** Of a project's files together, which are read again and again while the page is open, and of their items in a frame. */
const MAX_PROJECT = { bytes: 2 << 20, shown: 1 << 20 };
/** In one file. */
const MAX_ITEMS = 1_000;

export interface SetupAgent {
  readonly name: string;
  readonly label: string;
}

export interface SetupReading extends PlaceOptions {
  /** Installed agents. */
  readonly agents: readonly SetupAgent[];
  /** States of servers in a running session of the agent. */
  readonly live: (agent: string) => readonly { readonly name: string; readonly status: string }[];
}

type AgentState = AgentSetupState['agents'][number];
type Budget = { -readonly [K in keyof typeof MAX_PROJECT]: number };

export function readSetups(reading: SetupReading): AgentState[] {
  const budget = { ...MAX_PROJECT };
  return KNOWN_SETUPS.flatMap((description) => {
    const agent = reading.agents.find(({ name }) => description.agents.includes(name));
    return agent ? [readSetup(description, agent, reading, budget)] : [];
  });
}

function readSetup(
  description: SetupDescription,
  agent: SetupAgent,
  reading: SetupReading,
  budget: Budget,
): AgentState {
  const unread: AgentState['unread'] = [];
  const places = findPlaces(description, reading);
  const found = places.map((place) => itemsOf(place, reading, unread, budget));
  const states = new Map(
    description.agents.flatMap((name) => reading.live(name)).map((one) => [one.name, one.status]),
  );
  const kinds = SETUP_KINDS.flatMap((kind): SetupKindState[] => {
    const own = places.flatMap((place, index) =>
      place.about.kind === kind ? [{ place, items: found[index] ?? [] }] : [],
    );
    if (own.length === 0) return [];
    const items = own.flatMap(({ items: some }) => some);
    return [
      {
        kind,
        items: items.map((item) => {
          const status = kind === 'server' ? states.get(item.name) : undefined;
          return status === undefined ? item : { ...item, status };
        }),
        places: own.map(({ place, items: some }) => ({
          id: place.id,
          scope: place.about.scope,
          file: shownPath(place, reading),
          type: place.about.form.type,
          canAdd: canAdd(place, some.length),
        })),
        ...(kind === 'hook' ? { events: [...description.hookEvents] } : {}),
        ...(description.notes?.[kind] ? { note: description.notes[kind] } : {}),
      },
    ];
  });
  return { agent: agent.name, label: agent.label, kinds, unread: unique(unread) };
}

function canAdd(place: FoundPlace, items: number): boolean {
  const { canEdit, isOptional, form, files } = place.about;
  if (!canEdit || (isOptional && filesOf(place).length === 0)) return false;
  return form.type !== 'text' || files !== undefined || items === 0;
}

function itemsOf(
  place: FoundPlace,
  reading: SetupReading,
  unread: AgentState['unread'],
  budget: Budget,
): SetupItem[] {
  const isProject = place.about.base === 'project';
  return filesOf(place).flatMap((found): SetupItem[] => {
    const file = shownPath({ ...place, path: found.path }, reading);
    try {
      const text = readPlaced(place, found.path, budget.bytes);
      if (text === undefined) throw new SyntaxError('it is too large, or outside of its folder');
      if (isProject) budget.bytes -= text.length;
      const items = itemsIn(place, found, text, reading);
      const shown = isProject ? JSON.stringify(items).length : 0;
      if (items.length > MAX_ITEMS || shown > budget.shown) throw new SyntaxError('it has too many items');
      budget.shown -= shown;
      return items;
    } catch (error) {
      unread.push({ file, why: (error as Error).message });
      return [];
    }
  });
}

function itemsIn(
  place: FoundPlace,
  { name, path }: FoundFile,
  text: string,
  reading: SetupReading,
): SetupItem[] {
  const { about, root } = place;
  const { form } = about;
  const file = shownPath({ ...place, path }, reading);
  // A file in the project may have come with it, even if agents call it the user's own.
  const scope = about.base === 'project' ? 'project' : about.scope;
  const base = { place: place.id, scope, file, canEdit: about.canEdit };
  if (form.type === 'text') {
    const [runs] = programsIn(text).commands;
    const key = about.files ? name : '';
    return [
      {
        ...base,
        key,
        name: about.isChain ? path : name,
        summary: form.summary(text),
        ...(runs === undefined ? {} : { runs }),
        ...switchOf(place, { key, file: join(root, path), text }, reading),
      },
    ];
  }
  return form.read(text, reading).map((item) => {
    const key = about.files ? `${path.slice(place.path.length + 1)}\n${item.key}` : item.key;
    const canEdit = about.canEdit && item.content !== undefined;
    const on = form.switch ? item.on : undefined;
    const own = switchOf(place, { key: item.key, file: join(root, path), text }, reading);
    return { ...base, ...item, key, canEdit, on, ...own };
  });
}

/** The state of an item whose switch is in another file; off if that can't be read. */
function switchOf(place: FoundPlace, item: SwitchedItem, reading: SetupReading): { on?: boolean } {
  const { switches } = place.about;
  const other = switchPlaceOf(place, reading);
  if (!switches || !other) return {};
  try {
    return { on: switches.isOn(readPlaced(other, other.path) ?? '', item, reading) };
  } catch {
    return { on: false };
  }
}

/** A project's files are never read from outside of it, and are small. */
export function readPlaced(place: FoundPlace, path: string, limit = MAX_TEXT): string | undefined {
  return bytesOf(place, path, limit)?.toString('utf8');
}

export function bytesOf({ about, root }: FoundPlace, path: string, limit = MAX_TEXT): Buffer | undefined {
  const isProject = about.base === 'project';
  return readBounded(join(root, path), {
    maxBytes: isProject ? Math.min(limit, MAX_TEXT) : MAX_FILE,
    within: isProject ? root : undefined,
  });
}

/** Text of an item that is a file. */
export function textOfItem(
  { agent, place: id, key }: { agent: string; place: string; key: string },
  reading: SetupReading,
): string {
  const description = KNOWN_SETUPS.find(({ agents }) => agents.includes(agent));
  const place = description && findPlaces(description, reading).find((one) => one.id === id);
  const file = place && filesOf(place).find(({ name }) => key === '' || name === key);
  if (place?.about.form.type !== 'text' || !file)
    throw new CodedError('NOT_FOUND', 'This file no longer exists.');
  const text = readPlaced(place, file.path);
  if (text === undefined || text.length > MAX_TEXT) throw new CodedError('FILE_TOO_LARGE');
  return text;
}

export function shownPath(
  { about, root, path }: Pick<FoundPlace, 'about' | 'root' | 'path'>,
  { home }: PlaceOptions,
): string {
  if (about.base === 'project') return path;
  const full = join(root, path);
  return full.startsWith(`${home}/`) ? `~/${full.slice(home.length + 1)}` : full;
}

function unique(unread: AgentState['unread']): AgentState['unread'] {
  return [...new Map(unread.map((one) => [one.file, one])).values()];
}
