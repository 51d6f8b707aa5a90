/**
 * The projects (S4), and the environment each was added with (L9). Environments stay in memory, because they may
 * contain secrets from the user's shell.
 */
import { randomUUID } from 'node:crypto';
import { basename } from 'node:path';
import type { Project } from '@tugdeck/protocol/wire/deck';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import type { ProjectTable } from '@tugdeck/store/project-table';
import { LIMITS } from '../limits.ts';
import type { Trust } from '../trust/trust.ts';
import { resolveProjectPath } from './project-path.ts';

/** Where a session, a terminal or a card works: the project's own directory, or one of its workspaces (B1). */
export interface Place {
  readonly project: Project;
  readonly directory: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly workspace?: string | undefined;
}

export interface WorkspacePlaces {
  /** Throws a coded error for a workspace that can't be used now. */
  find(
    id: string,
    pathOf: (project: string) => string,
  ): (Pick<Place, 'directory' | 'environment'> & { readonly project: string }) | undefined;
  /** The workspace that a real path is in. */
  at(path: string): { readonly id: string; readonly project: string } | undefined;
}

const NO_WORKSPACES: WorkspacePlaces = { find: () => undefined, at: () => undefined };

/** A project, and the workspace that the given folder is in. */
export type OpenedPlace = Project & { readonly workspace?: string };

export class Projects {
  readonly #table: ProjectTable;
  readonly #now: () => number;
  readonly #serverEnvironment: Readonly<Record<string, string>>;
  readonly #trust: Trust;
  readonly #workspaces: WorkspacePlaces;
  readonly #environments = new Map<string, Readonly<Record<string, string>>>();

  constructor(
    table: ProjectTable,
    trust: Trust,
    now: () => number,
    ownEnvironment: Readonly<Record<string, string>>,
    workspaces: WorkspacePlaces = NO_WORKSPACES,
  ) {
    this.#table = table;
    this.#trust = trust;
    this.#now = now;
    this.#serverEnvironment = ownEnvironment;
    this.#workspaces = workspaces;
  }

  list(): Project[] {
    return this.#table.list().map((project) => this.#withTrust(project));
  }

  /** The directories of all projects, or of one, without reading whether they are trusted. */
  directories(id?: string): string[] {
    return this.#table.list().flatMap((one) => (id === undefined || one.id === id ? [one.path] : []));
  }

  get(id: string): Project {
    const project = this.#table.get(id);
    if (!project) throw new CodedError('PROJECT_NOT_FOUND');
    return this.#withTrust(project);
  }

  /** The directory and environment of a project or of one of its workspaces. */
  place(id: string): Place {
    const found = this.#workspaces.find(id, (project) => this.get(project).path);
    const project = this.get(found?.project ?? id);
    const environment = this.environment(project.id);
    if (!found) return { project, directory: project.path, environment };
    const { directory } = found;
    return { project, directory, environment: { ...environment, ...found.environment }, workspace: id };
  }

  async add(typed: string): Promise<Project> {
    const path = await resolveProjectPath(typed);
    const known = this.#table.findByPath(path);
    if ((known && !known.removed) || this.#workspaces.at(path)) throw new CodedError('PROJECT_DUPLICATE');
    return this.#insert(path);
  }

  /**
   * Like `tugdeck DIR`: adds the project, or updates the environment of an existing one. A folder in a workspace belongs
   * to its project. Does not trust it (X6).
   */
  async open(typed: string, environment: Readonly<Record<string, string>>): Promise<OpenedPlace> {
    const path = await resolveProjectPath(typed);
    const workspace = this.#workspaces.at(path);
    const { id } = workspace ? this.get(workspace.project) : this.#insert(path);
    this.#environments.set(id, environment);
    return { ...this.get(id), ...(workspace ? { workspace: workspace.id } : {}) };
  }

  /**
   * Records the decision for the whole repository and returns the ids of all its projects. `seen` is the hash of what
   * the user was shown. Also accepts a workspace, whose configuration can differ.
   */
  decideTrust(id: string, decision: 'yes' | 'no', seen?: string): string[] {
    const { directory: path } = this.place(id);
    if (decision === 'yes') this.#trust.allow(path, seen);
    else this.#trust.refuse(path);
    const repository = this.#trust.repositoryOf(path);
    return this.#table
      .list()
      .flatMap((other) => (this.#trust.repositoryOf(other.path) === repository ? [other.id] : []));
  }

  rename(id: string, name: string): void {
    this.get(id);
    const text = name.trim();
    if (text === '') throw new CodedError('INVALID_MESSAGE', 'A name needs at least one character.');
    this.#table.rename(id, text);
  }

  /** Moves a project before another one, or to the end. */
  move(id: string, before?: string): void {
    this.get(id);
    if (before !== undefined) this.get(before);
    const others = this.list()
      .map((project) => project.id)
      .filter((other) => other !== id);
    const at = before === undefined || before === id ? others.length : others.indexOf(before);
    if (before !== id) this.#table.arrange([...others.slice(0, at), id, ...others.slice(at)]);
  }

  remove(id: string): void {
    this.get(id);
    this.#table.remove(id, this.#now());
    this.#environments.delete(id);
  }

  environment(id: string): Readonly<Record<string, string>> {
    return this.#environments.get(id) ?? this.#serverEnvironment;
  }

  #withTrust(project: Project): Project {
    const trust = this.#trust.decision(project.path);
    return trust === undefined ? project : { ...project, trust };
  }

  #insert(path: string): Project {
    const known = this.#table.findByPath(path);
    if (known && !known.removed) return this.get(known.id);
    if (this.#table.list().length >= LIMITS.projects) throw new CodedError('TOO_MANY');
    if (known) {
      this.#table.restore(known.id, this.#now());
      return this.get(known.id);
    }
    const project: Project = {
      id: randomUUID(),
      path,
      name: basename(path) || path,
      addedAt: this.#now(),
    };
    this.#table.insert(project);
    return this.get(project.id);
  }
}
