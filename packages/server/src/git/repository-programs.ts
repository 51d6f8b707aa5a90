/**
 * The programs that a repository's own configuration would have git run: filters, merge drivers, converters. Reads
 * turn each of them off by name; those of the user's own configuration stay, for they are the user's. Asked of git
 * once per state of the configuration files.
 */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { readBoundedText } from '@tugdeck/local/bounded-file';
import { type GitConfig, git } from '@tugdeck/local/git';
import type { RepositoryPlace } from '@tugdeck/trees/find-repository';

const PROGRAMS =
  '^(filter\\..*\\.(clean|smudge|process|required)|merge\\..*\\.driver|diff\\..*\\.(command|textconv)|' +
  'gpg(\\..*)?\\.program|credential(\\..*)?\\.helper|core\\.(sshcommand|askpass|gitproxy|editor|pager|hookspath))$';
const MAX_CONFIG = 1024 * 1024;
const FOREIGN = new Set(['local', 'worktree']);

export class RepositoryPrograms {
  readonly #place: RepositoryPlace;
  #state = '';
  #known: Promise<GitConfig> | undefined;

  constructor(place: RepositoryPlace) {
    this.#place = place;
  }

  /** The settings that turn them off. */
  async off(): Promise<GitConfig> {
    const state = await this.#configurationState();
    if (state === undefined || state !== this.#state || !this.#known) {
      this.#state = state ?? '';
      this.#known = this.#ask();
      this.#known.catch(() => {
        this.#known = undefined;
      });
    }
    return this.#known;
  }

  async #ask(): Promise<GitConfig> {
    const { root } = this.#place;
    const { stdout } = await git({
      directory: root,
      args: ['config', '-z', '--show-scope', '--name-only', '--get-regexp', PROGRAMS],
      environment: { GIT_CEILING_DIRECTORIES: join(root, '..') },
      // Nothing found.
      answers: [1],
    });
    const parts = stdout.toString('utf8').split('\0');
    const off: [string, string][] = [];
    for (let at = 0; at + 1 < parts.length; at += 2) {
      const key = parts[at + 1] ?? '';
      if (FOREIGN.has(parts[at] ?? '') && key !== 'core.hookspath') {
        off.push([key, key.endsWith('.required') ? 'false' : '']);
      }
    }
    return off;
  }

  /** Nothing where it cannot be told from the files alone: others are included. */
  async #configurationState(): Promise<string | undefined> {
    const { commonDirectory, gitDirectory } = this.#place;
    const files = [join(commonDirectory, 'config'), join(gitDirectory, 'config.worktree')];
    const parts: string[] = [];
    for (const file of files) {
      try {
        const { mtimeNs, size, ino } = await stat(file, { bigint: true });
        parts.push(`${mtimeNs}-${size}-${ino}`);
        if (`${mtimeNs}-${size}-${ino}` !== this.#plain.get(file)) {
          const text = readBoundedText(file, { maxBytes: MAX_CONFIG });
          if (text === undefined || /\binclude/i.test(text)) return undefined;
          this.#plain.set(file, `${mtimeNs}-${size}-${ino}`);
        }
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
        parts.push('-');
      }
    }
    return parts.join(' ');
  }

  /** Files seen to include no others, by their state. */
  readonly #plain = new Map<string, string>();
}
