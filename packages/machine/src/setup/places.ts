/** Finds the files of an agent's setup (A61): which exist, and where new items go. Reads names, no contents. */
import { readdirSync, statSync } from 'node:fs';
import { isAbsolute, join, relative, sep } from 'node:path';
import type { SetupDescription, SetupPlaceDescription } from '@tugdeck/drivers/setup/known-setups';
import { isInside, type ProjectPlace, placeOf, realpathOr } from '@tugdeck/trust/place';

const MAX_FILES = 300;

export interface PlaceOptions {
  readonly home: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Absolute path of the project. */
  readonly project: string | undefined;
}

/** A place of a description in one folder. */
export interface FoundPlace {
  readonly id: string;
  readonly about: SetupPlaceDescription;
  /** Nothing outside of it is read for a project, or ever written. */
  readonly root: string;
  /** Relative to the root; of a file, or of a folder with files. */
  readonly path: string;
}

export interface FoundFile {
  /** The item's name, of a folder's file. */
  readonly name: string;
  /** Relative to the root. */
  readonly path: string;
}

export function findPlaces(description: SetupDescription, options: PlaceOptions): FoundPlace[] {
  const { project, home } = options;
  const place = project === undefined ? undefined : placeOf(project, home);
  return description.places.flatMap((about) => placesOf(about, options, place));
}

function placesOf(
  about: SetupPlaceDescription,
  { home, environment }: PlaceOptions,
  project: ProjectPlace | undefined,
): FoundPlace[] {
  const { id, base, path, variable, scope } = about;
  if (base === 'root') return [{ id, about, root: '/', path }];
  if (base === 'home') {
    if (scope !== 'user' && project === undefined) return [];
    const folder = variable && environment[variable.name];
    if (!variable || !folder || !isAbsolute(folder)) return [{ id, about, root: home, path }];
    const inProject = project && pathInProject(project, folder, home);
    if (!project || inProject === undefined) return [{ id, about, root: folder, path: variable.path }];
    // Agents call it the user's own, but it may have come with the project.
    const own = { ...about, base: 'project', scope: 'project' } as const;
    return [{ id, about: own, root: project.root, path: join(inProject, variable.path) }];
  }
  if (project === undefined) return [];
  const { directory, root } = project;
  if (!about.isChain || !isInside(root, directory)) return [{ id, about, root: directory, path }];
  const parts = relative(root, directory).split(sep).filter(Boolean);
  return [...parts.keys(), parts.length].map((depth) => {
    const folder = parts.slice(0, depth).join('/');
    return {
      id: depth === parts.length ? id : `${id}@${depth}`,
      about,
      root,
      path: folder === '' ? path : `${folder}/${path}`,
    };
  });
}

/** The path of an agent's folder inside of the project's checkout. A project that contains the home contains the user's own files. */
function pathInProject({ root }: ProjectPlace, folder: string, home: string): string | undefined {
  const real = realpathOr(folder);
  return isInside(root, real) && !isInside(root, realpathOr(home)) ? relative(root, real) : undefined;
}

/** The file with the switches of a place's items. */
export function switchPlaceOf({ about }: FoundPlace, options: PlaceOptions): FoundPlace | undefined {
  const { switches, ...others } = about;
  if (!switches) return undefined;
  const { path, variable } = switches;
  const inHome = { ...others, base: 'home', scope: 'user', path, variable, files: undefined } as const;
  return placesOf(inHome, options, undefined)[0];
}

/** Files of a place that exist. */
export function filesOf({ about, root, path }: FoundPlace): FoundFile[] {
  if (!about.files) return isFile(join(root, path)) ? [{ name: path.split('/').at(-1) ?? path, path }] : [];
  const [before = '', after = ''] = about.files.pattern.split('*');
  let names: string[];
  try {
    names = readdirSync(join(root, path)).sort();
  } catch {
    return []; // No such folder.
  }
  const isNested = after.startsWith('/');
  return names
    .flatMap((entry): FoundFile[] => {
      if (isNested) return [{ name: entry, path: `${path}/${entry}${after}` }];
      if (!entry.startsWith(before) || !entry.endsWith(after) || entry === after) return [];
      return [{ name: entry.slice(before.length, entry.length - after.length), path: `${path}/${entry}` }];
    })
    .filter((file) => isFile(join(root, file.path)))
    .slice(0, MAX_FILES);
}

/** Where a new item of this name goes. */
export function freshFile({ about, path }: FoundPlace, name: string): string {
  if (!about.files) return path;
  return `${path}/${about.files.fresh ?? about.files.pattern.replace('*', name)}`;
}

function isFile(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
  } catch {
    return false; // Not accessible, or a parent is a file.
  }
}
