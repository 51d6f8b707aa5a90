/** The title of a permission request, its raw view, and the fields that only the raw view shows. Pure. */
import type { PermissionRequest } from '@tugdeck/protocol/conversation/entries';
import type { LongText } from '@tugdeck/protocol/conversation/long-text';
import { visibleExact } from '../../kit/visible-text.ts';
import { withoutDirectory } from '../conversation/project-paths.ts';
import { requestPath } from '../tool-results/request-path.ts';
import type { RawPart } from './RawInput.tsx';

/** The title with its paths resolved to the files they mean. */
export function permissionTitle(
  { title, fields, diff }: Pick<PermissionRequest, 'title' | 'fields' | 'diff'>,
  directory: string | undefined,
): string {
  const stated = fields.flatMap(({ form, value }) =>
    form === 'path' && typeof value === 'string' ? [value] : [],
  );
  const changed = (diff ?? []).flatMap(({ path, oldPath }) => [
    path,
    ...(oldPath === undefined ? [] : [oldPath]),
  ]);
  const paths = [...new Set([...stated, ...changed])].filter((path) => path.length > 1);
  // Longest first: one path may be the prefix of another.
  const longest = paths.sort((a, b) => b.length - a.length).find((path) => title.includes(path));
  if (longest === undefined) return visibleExact(withoutDirectory(title, directory));
  const [before = '', ...after] = title.split(longest);
  return visibleExact(before) + requestPath(longest, directory).text + visibleExact(after.join(longest));
}

/** Words around a command in a title: "Run …?", "Bash: …". */
const AROUND_COMMAND = /^(?:\p{L}+:?)?\s*\??$/u;

/** The title; if it only repeats the command, which is shown below, a sentence (D20). */
export function permissionHeading(
  request: Pick<PermissionRequest, 'title' | 'fields' | 'diff' | 'toolKind'>,
  directory: string | undefined,
): string {
  const { title, fields, toolKind } = request;
  const command = fields.find(({ form }) => form === 'code')?.value;
  if (toolKind === 'shell' && typeof command === 'string' && command.trim() !== '') {
    const [before = '', after, ...more] = title.split(command.trim());
    const isRepeated =
      after !== undefined && more.length === 0 && AROUND_COMMAND.test((before + after).trim());
    if (isRepeated) return 'Run this command?';
  }
  return permissionTitle(request, directory);
}

export function rawParts(
  {
    input,
    source,
    raw,
  }: { readonly input?: unknown; readonly source?: LongText | undefined; readonly raw?: unknown },
  isEdited = false,
): RawPart[] {
  const title = isEdited ? 'Input before your edit' : 'Input';
  return [
    ...(input === undefined ? [] : [{ title, value: source ?? input, isText: source !== undefined }]),
    ...(raw === undefined
      ? []
      : [{ title: input === undefined ? 'Request' : 'Rest of the request', value: raw }]),
  ];
}

/** The number of input fields that are not listed: empty ones, and those beyond the driver's limit. */
export function unlistedFields({ input, fields }: Pick<PermissionRequest, 'input' | 'fields'>): number {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return 0;
  return Math.max(0, Object.keys(input).length - fields.length);
}
