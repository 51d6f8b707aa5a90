/** Actions on tree rows and their notices. No action runs twice or fails silently. */
import { joinPath, nameOf, parentOf } from '@tugdeck/protocol/files/paths';
import { useMemo, useRef, useState } from 'react';
import { uploadFile } from '../../features/files/file-api.ts';
import { openFile } from '../../features/files/open-file.ts';
import { faultText } from '../../kit/deck-actions.ts';
import { plural } from '../../kit/format.ts';
import { visiblePath } from '../../kit/visible-text.ts';
import type { FilesArea, TreeModel } from './tree-model.ts';

export interface TreeNotice {
  readonly text: string;
  readonly isFault: boolean;
  readonly undo?: () => void;
}

export interface Naming {
  /** The row being renamed, or the folder of a new item. */
  readonly path: string;
  readonly what: 'rename' | 'file' | 'folder';
}

export interface TreeActions {
  readonly notice: TreeNotice | undefined;
  readonly naming: Naming | undefined;
  dismiss(): void;
  /** Explains why a path (not a file or folder of the project) cannot be opened. */
  refuse(path: string, isLink: boolean): void;
  /** In the selected folder, or beside the selected file. */
  add(what: 'file' | 'folder', folder?: string): void;
  rename(path: string): void;
  /** Ends renaming; undefined cancels. */
  named(name: string | undefined): void;
  move(path: string, folder: string): void;
  remove(path: string): void;
  undo(): void;
  upload(files: Iterable<File>, folder: string): void;
}

export function useTreeActions(files: FilesArea, tree: TreeModel): TreeActions {
  const [notice, setNotice] = useState<TreeNotice>();
  const [naming, setNaming] = useState<Naming>();
  const latest = useRef({ naming });
  latest.current = { naming };
  const acts = useMemo(() => {
    const removed: string[] = [];
    /** The pending deletion; resolves with whether it succeeded. */
    let removing: Promise<boolean> | undefined;
    const failed = (error: unknown) => setNotice({ text: faultText(error), isFault: true });
    const run = (work: Promise<unknown>) => void work.catch(failed);

    const restore = async (trash: string) => {
      const { path } = await files.call('restore', { trash });
      const at = removed.indexOf(trash);
      if (at >= 0) removed.splice(at, 1);
      setNotice(undefined);
      await tree.reveal(path);
    };
    const remove = async (path: string) => {
      const { trash } = await files.call('delete', { path });
      removed.push(trash);
      const name = visiblePath(nameOf(path));
      setNotice({ text: `Deleted ${name}`, isFault: false, undo: () => run(restore(trash)) });
    };
    const beginRemove = (path: string) => {
      const begun = remove(path).then(
        () => true,
        (error) => {
          failed(error);
          return false;
        },
      );
      removing = begun;
      void begun.then(() => {
        if (removing === begun) removing = undefined;
      });
    };
    /** Undo pressed before the deletion is confirmed applies to it. */
    const undo = async () => {
      if ((await removing) === false) return;
      const last = removed.at(-1);
      if (last !== undefined) await restore(last);
    };
    const move = async (from: string, to: string) => {
      if (from === to) return;
      await files.call('rename', { from, to });
      await tree.reveal(to);
    };
    const create = async (path: string, kind: 'file' | 'folder') => {
      await files.call('create', { path, kind });
      await tree.reveal(path);
      if (kind === 'folder') tree.unfold(path);
      else openFile(files.about.project, path);
    };
    const upload = async (given: readonly File[], folder: string) => {
      for (const file of given) {
        await uploadFile({ project: files.about.project, path: joinPath(folder, file.name) }, file);
      }
      setNotice({ text: `${plural(given.length, 'file')} added.`, isFault: false });
    };

    return {
      dismiss: () => setNotice(undefined),
      refuse(path: string, isLink: boolean) {
        setNotice({ text: refusal(nameOf(path), isLink), isFault: false });
      },
      add(what: 'file' | 'folder', folder?: string) {
        const { chosen, opened } = tree.state.get();
        const at = folder ?? (chosen === undefined ? '' : opened.has(chosen) ? chosen : parentOf(chosen));
        if (at !== '') tree.unfold(at);
        setNaming({ path: at, what });
      },
      rename: (path: string) => setNaming({ path, what: 'rename' }),
      named(name: string | undefined) {
        const { naming: now } = latest.current;
        setNaming(undefined);
        const typed = name?.trim();
        if (!now || !typed) return;
        if (now.what === 'rename') run(move(now.path, joinPath(parentOf(now.path), typed)));
        else run(create(joinPath(now.path, typed), now.what));
      },
      move: (path: string, folder: string) => run(move(path, joinPath(folder, nameOf(path)))),
      remove: beginRemove,
      undo: () => run(undo()),
      upload: (given: Iterable<File>, folder: string) => run(upload([...given], folder)),
    };
  }, [files, tree]);
  return { ...acts, notice, naming };
}

/** Why an item cannot be opened. */
export function refusal(name: string, isLink: boolean): string {
  const why = name.includes('\ufffd')
    ? 'its name isn’t valid UTF-8'
    : isLink
      ? 'it’s a link that is broken or points outside the project'
      : 'it’s neither a file nor a folder';
  return `Can’t open ${visiblePath(name)}: ${why}`;
}
