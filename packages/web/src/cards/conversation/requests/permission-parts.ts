/** What the card of a permission shows, and what only its raw view does. Pure. */
import type { LongText, PermissionRequest } from '@tugdeck/protocol/conversation/entries';
import { visibleExact } from '../../../ui/visible-text.ts';
import { withoutDirectory } from '../results/project-paths.ts';
import { requestPath } from '../results/request-path.ts';
import type { RawPart } from './RawInput.tsx';

/** The title with its paths as the files that they mean. */
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
  // The longest first: one path may be the beginning of another.
  const longest = paths.sort((a, b) => b.length - a.length).find((path) => title.includes(path));
  if (longest === undefined) return visibleExact(withoutDirectory(title, directory));
  const [before = '', ...after] = title.split(longest);
  return visibleExact(before) + requestPath(longest, directory).text + visibleExact(after.join(longest));
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

/** How many fields of the input have no line of their own: empty ones, and those beyond what a driver lists. */
export function unlistedFields({ input, fields }: Pick<PermissionRequest, 'input' | 'fields'>): number {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return 0;
  return Math.max(0, Object.keys(input).length - fields.length);
}
