/**
 * Reads the agent configuration of a project and the folders above it (X6): every place in the catalog, whichever
 * agent is used. Bounded; never blocks on pipes or devices. Unreadable files are findings too.
 */
import { lstatSync, readdirSync, readlinkSync, realpathSync, type Stats, statSync } from 'node:fs';
import { basename, extname, join, relative, sep } from 'node:path';
import { PROJECT_SOURCES } from '@tugdeck/agents/catalog';
import type { ProjectSource } from '@tugdeck/agents/project-sources';
import { readBounded } from '@tugdeck/local/bounded-file';
import { CONFIG_KINDS, type ConfigKind, isInstructions } from '@tugdeck/protocol/trust/project-config';
import { digestOf, type Finding, Findings } from './findings.ts';
import { isInside, isOwnedByUser, type ProjectPlace, placeOf } from './place.ts';
import { readPackage, readSettings, variable } from './settings.ts';
import { parseJson, parseToml, parseVariables, programsIn } from './texts.ts';

/** Larger files are identified by size and times only. */
const MAX_FILE = 256 * 1024;
/** Total per read: parsing a hostile megabyte of TOML takes a second. */
const MAX_BYTES = 2 * 1024 * 1024;
const MAX_ENTRIES = 20_000;
const MAX_DEPTH = 16;

export interface SeenConfig {
  readonly place: ProjectPlace;
  /** Sorted by kind, then by path. */
  readonly findings: readonly Finding[];
  /** Of everything except instructions; a different hash asks the user again. */
  readonly hash: string;
}

export function readProjectConfig(directory: string, home: string): SeenConfig {
  const place = placeOf(directory, home);
  const reader = new ConfigReader(place);
  reader.owner(place.root);
  reader.owner(place.directory);
  for (const folder of place.folders) {
    for (const source of PROJECT_SOURCES) reader.source(folder, source);
  }
  const findings = reader.findings.list().sort(byKind);
  return { place, findings, hash: hashOf(findings) };
}

export function hashOf(findings: readonly Finding[]): string {
  const parts = findings
    .filter((finding) => !isInstructions(finding))
    .map(({ kind, path, name, digest }) => JSON.stringify([kind, path, name, digest]));
  return digestOf([...new Set(parts)].sort());
}

function byKind(a: Finding, b: Finding): number {
  const order = CONFIG_KINDS.indexOf(a.kind) - CONFIG_KINDS.indexOf(b.kind);
  return order || compare(a.path, b.path) || compare(a.text, b.text);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

interface SeenFile {
  /** Absent if the file was too large. */
  readonly text: string | undefined;
  readonly content: unknown;
}

/** Reads one project within shared limits. */
class ConfigReader {
  readonly findings = new Findings();
  readonly #place: ProjectPlace;
  #bytes = MAX_BYTES;
  #entries = MAX_ENTRIES;

  constructor(place: ProjectPlace) {
    this.#place = place;
  }

  /** The owner of the folder can change everything in it later. */
  owner(folder: string): void {
    const facts = statSync(folder, { throwIfNoEntry: false });
    if (!facts || isOwnedByUser(facts)) return;
    const text = `This folder belongs to another user of this machine (${facts.uid}).`;
    this.findings.add('setting', folder, 'owner', text);
  }

  source(folder: string, source: ProjectSource): void {
    const path = join(folder, source.path);
    // Most do not exist: one call instead of one per path segment.
    if (!exists(path)) return;
    let at = folder;
    for (const part of source.path.split('/')) {
      at = join(at, part);
      this.#addLink(at);
    }
    const facts = this.#facts(path);
    if (!facts) return;
    if (source.form === 'folder' && facts.isDirectory()) this.#folder(path, source.holds ?? 'setting');
    else if (facts.isFile()) this.#file(path, facts, source);
    else if (source.form !== 'folder' && facts.isDirectory()) return;
    else this.#addUnread(path, 'is not a regular file', [facts.mode & 0o170000, facts.rdev]);
  }

  #file(path: string, facts: Stats, { form, holds = 'setting', own = [] }: ProjectSource): void {
    const shown = this.#shown(path);
    const { text, content } = this.#read(path, facts);
    if (form === 'file' || form === 'folder') {
      this.findings.add(holds, shown, '', holds === 'instructions' ? '' : basename(path), content);
      return;
    }
    if (text === undefined) {
      this.#addUnread(path, 'is too large to show', content);
      return;
    }
    try {
      if (form === 'variables') {
        for (const [name, value] of parseVariables(text)) {
          this.findings.add('variable', shown, name, variable(name, value), value);
        }
      } else if (form === 'package') readPackage(parseJson(text), shown, own, this.findings);
      else readSettings(form === 'toml' ? parseToml(text) : parseJson(text), shown, this.findings);
    } catch {
      this.#addUnread(path, `could not be read as ${form === 'toml' ? 'TOML' : 'JSON'}`, content);
    }
  }

  #folder(path: string, holds: ConfigKind): void {
    const shown = this.#shown(path);
    const isGroup = holds === 'skill' || holds === 'instructions';
    for (const entry of this.#entriesOf(path)) {
      const files: [name: string, digest: string][] = [];
      this.#walk({ path: join(path, entry), name: entry, holds }, new Set(), 0, (file, name, facts) => {
        const { text, content } = this.#read(file, facts);
        files.push([name, digestOf(content)]);
        if (text !== undefined && holds !== 'instructions') this.#programs(file, text, holds);
        if (!isGroup) this.findings.add(holds, shown, name, named(name, text, holds), content);
      });
      if (!isGroup || files.length === 0) continue;
      const more = files.length === 1 ? '' : ` (${files.length} files)`;
      this.findings.add(holds, shown, entry, `${entry.replace(/\.md$/, '')}${more}`, files);
    }
  }

  /** Servers and hooks can be in any file of a plugin, and in the front matter of Markdown files. */
  #programs(path: string, text: string, holds: ConfigKind): void {
    const shown = this.#shown(path);
    try {
      const extension = extname(path);
      if (extension === '.json' || extension === '.toml') {
        const found = new Findings();
        readSettings(extension === '.json' ? parseJson(text) : parseToml(text), shown, found);
        for (const { kind, name, text: command, digest } of found.list()) {
          if (kind === 'hook' || kind === 'server') this.findings.add(kind, shown, name, command, digest);
        }
      } else if (/^\.(md|mdc|markdown)$/.test(extension)) {
        const { head } = programsIn(text);
        if (head !== '') this.findings.add('hook', shown, 'head', head, head);
        if (holds !== 'skill') return;
        for (const command of programsIn(text).commands)
          this.findings.add('command', shown, command, command);
      }
    } catch {
      // A program or data file of the plugin; it is listed by name.
    }
  }

  #walk(
    { path, name, holds }: { path: string; name: string; holds: ConfigKind },
    above: ReadonlySet<string>,
    depth: number,
    take: (path: string, name: string, facts: Stats) => void,
  ): void {
    this.#addLink(path);
    const facts = this.#facts(path);
    if (!facts) return;
    if (facts.isFile()) {
      take(path, name, facts);
      return;
    }
    if (!facts.isDirectory()) {
      this.#addUnread(path, 'is not a regular file', [facts.mode, facts.rdev]);
      return;
    }
    const real = realpathSync(path);
    if (above.has(real)) return;
    if (depth >= MAX_DEPTH) {
      this.#addUnread(path, 'is nested too deeply to be searched', '');
      return;
    }
    // Packages for plugins. Agents find commands and skills in a folder of any name.
    if (basename(path) === 'node_modules' && holds === 'plugin') {
      this.#addUnread(path, 'has packages, which are not read: changes in them go unnoticed', '');
      return;
    }
    const within = new Set([...above, real]);
    for (const entry of this.#entriesOf(path)) {
      this.#walk({ path: join(path, entry), name: `${name}/${entry}`, holds }, within, depth + 1, take);
    }
  }

  #entriesOf(path: string): string[] {
    try {
      const names = readdirSync(path).sort();
      this.#entries -= names.length;
      if (this.#entries >= 0) return names;
      this.#addUnread(path, 'has too many files: changes in some of them may go unnoticed', '');
      return names.slice(0, Math.max(0, names.length + this.#entries));
    } catch {
      this.#addUnread(path, "can't be read", 'denied');
      return [];
    }
  }

  #read(path: string, facts: Stats): SeenFile {
    const byFacts = [facts.ino, facts.size, facts.mtimeMs, facts.ctimeMs];
    if (facts.size > MAX_FILE || facts.size > this.#bytes) return { text: undefined, content: byFacts };
    try {
      const bytes = readBounded(path, { maxBytes: MAX_FILE });
      if (!bytes) return { text: undefined, content: byFacts };
      this.#bytes -= bytes.length;
      return { text: bytes.toString('utf8'), content: bytes };
    } catch {
      return { text: undefined, content: 'denied' };
    }
  }

  /** Agents follow links out of the checkout, so list the link and then read its target. */
  #addLink(path: string): void {
    try {
      if (!lstatSync(path).isSymbolicLink()) return;
      const target = readlinkSync(path);
      let real: string | undefined;
      try {
        real = realpathSync(path);
      } catch {
        // A dangling link, or a cycle.
      }
      if (real !== undefined && isInside(this.#place.root, real)) return;
      const text =
        real === undefined ? `link to ${target}, which does not exist` : `link out of the project to ${real}`;
      this.findings.add('setting', this.#shown(path), 'link', text, [target, real]);
    } catch {
      // Deleted since it was found.
    }
  }

  #addUnread(path: string, why: string, content: unknown): void {
    this.findings.add('setting', this.#shown(path), 'unread', `This ${why}.`, content);
  }

  #facts(path: string): Stats | undefined {
    try {
      return statSync(path);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== 'ENOENT' && code !== 'ENOTDIR') this.#addUnread(path, `can't be accessed (${code})`, code);
      return undefined;
    }
  }

  /** Relative to the checkout, so that paths agree between worktrees; also for paths in the main checkout. */
  #shown(path: string): string {
    const { root, repository } = this.#place;
    const base = [root, repository].find((folder) => isInside(folder, path) && folder !== sep);
    return base === undefined ? path : relative(base, path);
  }
}

function named(name: string, text: string | undefined, holds: ConfigKind): string {
  const label = name.replace(/\.md$/, '');
  if (text === undefined || (holds !== 'command' && holds !== 'subagent')) return label;
  const { commands } = programsIn(text);
  return commands.length === 0 ? label : `${label} runs ${commands.join(' and ')}`;
}

function exists(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    // A parent is a file, or a name is too long: agents find nothing there either.
    const { code } = error as NodeJS.ErrnoException;
    return code !== 'ENOTDIR' && code !== 'ENAMETOOLONG';
  }
}
