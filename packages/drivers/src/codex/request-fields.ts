/**
 * The fields of a permission request (C6): everything that says what will run, also where the request and its tool call
 * disagree. Pure.
 */

import { isDeepStrictEqual } from 'node:util';
import type { Field } from '@tugdeck/protocol/conversation/entries';
import { exactJson } from '../kit/exact-json.ts';
import { type Fields, listOf, recordOf, textAt } from '../kit/fields.ts';
import { inputFields, limited } from '../kit/input-fields.ts';
import { viewOf } from './item-view.ts';
import type { Item } from './items.ts';

const OF_CALL: Readonly<Record<string, { label: string; form: Field['form'] }>> = {
  command: { label: 'Command of the tool call', form: 'code' },
  cwd: { label: 'Directory of the tool call', form: 'path' },
};

/** The tool call's own command and directory, where the request states others. */
export function differingFields(call: Fields, stated: Fields): Field[] {
  return Object.entries(OF_CALL).flatMap(([key, shape]) => {
    const value = textAt(call, key);
    return value === undefined || stated[key] === undefined || stated[key] === value
      ? []
      : [{ ...shape, value }];
  });
}

/** Paths one by one, so that the page can mark those outside the project; everything else as data. */
export function rightsFields(rights: Fields): Field[] {
  const { fileSystem, ...others } = rights;
  const paths = pathsOf(recordOf(fileSystem));
  const shown = isListed(recordOf(fileSystem)) ? {} : { fileSystem };
  const fields = paths.map(
    ({ access, path }): Field => ({ label: `May ${access}`, value: path, form: 'path' }),
  );
  return limited([...fields, ...inputFields(shown), ...inputFields(others)]);
}

interface Right {
  readonly access: string;
  readonly path: string;
}

function pathsOf(fileSystem: Fields): Right[] {
  const stated = ['read', 'write'].flatMap((access) =>
    listOf(fileSystem[access]).flatMap((path): Right[] =>
      typeof path === 'string' ? [{ access, path }] : [],
    ),
  );
  const entries = listOf(fileSystem.entries).flatMap((entry) => rightOf(entry) ?? []);
  const isNew = ({ access, path }: Right) =>
    !stated.some((right) => right.access === access && right.path === path);
  return [...stated, ...entries.filter(isNew)];
}

function rightOf(entry: unknown): Right | undefined {
  const { access, path } = recordOf(entry);
  const where = textAt(path, 'path');
  const isPlain = isDeepStrictEqual(entry, { path: { type: 'path', path: where }, access });
  return isPlain && where !== undefined && typeof access === 'string' ? { access, path: where } : undefined;
}

/** Whether the paths are all that it contains. */
function isListed({ read, write, entries, ...others }: Fields): boolean {
  const isPaths = (list: unknown) => list == null || listOf(list).every((path) => typeof path === 'string');
  const isKnown = entries == null || (Array.isArray(entries) && entries.every((entry) => rightOf(entry)));
  const isNothing = Object.values(others).every((value) => value == null);
  return isPaths(read) && isPaths(write) && isKnown && isNothing;
}

/** The tool call that a request is about: by its arguments and name, because calls of one server run in parallel. */
export function toolCallOf(calls: readonly Item[], message: string, given: unknown): Item | undefined {
  const scores = calls.map(({ data }) => {
    const isNamed = message.includes(`"${textAt(data, 'tool') ?? ''}"`);
    return (isNamed ? 2 : 0) + (isDeepStrictEqual(data.arguments, given) ? 1 : 0);
  });
  const best = Math.max(...scores);
  if (best === 0 && calls.length > 1) return undefined;
  return calls[scores.lastIndexOf(best)];
}

export interface ToolArguments {
  readonly name: string;
  readonly input: unknown;
  readonly fields: Field[];
}

export function toolArguments(call: Item | undefined, server: string, given: unknown): ToolArguments {
  const own = call?.data.arguments ?? undefined;
  const input = given ?? own ?? {};
  const inside = recordOf(input);
  const isRecord = Object.keys(inside).length > 0 || isDeepStrictEqual(input, {});
  const other: Field[] =
    own === undefined || isDeepStrictEqual(own, input)
      ? []
      : [{ label: 'Arguments of the tool call', value: exactJson(own), form: 'code' }];
  return {
    name: call ? viewOf(call.data).name : server,
    input,
    fields: [...(isRecord ? inputFields(inside) : inputFields({ input })), ...other],
  };
}
