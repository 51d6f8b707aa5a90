/** Selects the fields to show beside a diff: not those whose text the diff shows. Pure. */
import type { Field, FileDiff } from '@tugdeck/protocol/conversation/entries';

/** Labels of an edit's texts. A command that also occurs in the changed text is not one of them. */
const EDIT_LABEL =
  /^(?:content|file text|replace|with|old ?(?:str|string|text)|new ?(?:str|string|text)|edits|diff|patch)$/i;

export function shownFields(
  fields: readonly Field[],
  files: readonly FileDiff[] | undefined,
): readonly Field[] {
  if (!files?.length) return fields;
  const lines = files.flatMap(({ hunks }) => hunks.flatMap((hunk) => hunk.lines));
  const version = (sign: string) =>
    lines
      .filter((line) => !line.startsWith(sign))
      .map((line) => line.slice(1))
      .join('\n');
  const texts = [version('+'), version('-')];
  const isLong = files.some(({ more }) => more !== undefined);
  const paths = new Set(files.flatMap(({ path, oldPath }) => [path, oldPath ?? path]));
  const isShown = ({ label, value, form }: Field) => {
    // A diff cannot show "replace all", only a single replacement.
    if (/^replace all$/i.test(label)) return value === 'false';
    if (form === 'path') return typeof value === 'string' && paths.has(value);
    const text = (typeof value === 'string' ? value : value.head).replace(/\n$/, '');
    if (form !== 'code' || !EDIT_LABEL.test(label)) return false;
    // Of a long diff only the beginning is loaded, with the beginning of the text.
    const isBeginning = (shown: string) => shown !== '' && text.startsWith(shown);
    return (
      texts.some((shown) => shown.includes(text) || (isLong && isBeginning(shown))) ||
      isListOfEdits(text, texts)
    );
  };
  return fields.filter((field) => !isShown(field));
}

/** Several edits come as JSON: covered if the diff shows each of their texts. */
function isListOfEdits(text: string, texts: readonly string[]): boolean {
  if (!text.startsWith('[')) return false;
  try {
    const edits: unknown = JSON.parse(text);
    const parts = Array.isArray(edits) ? edits.flatMap((edit) => Object.values(edit ?? {})) : [];
    const words = parts.filter((part): part is string => typeof part === 'string');
    return (
      words.length > 0 &&
      words.every((word) => texts.some((shown) => shown.includes(word.replace(/\n$/, ''))))
    );
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}
