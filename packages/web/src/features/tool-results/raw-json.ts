/**
 * JSON with all characters visible: hidden and bidirectional ones are written as \\uXXXX, so the text still parses
 * to the same data. Pure.
 */

/** Everything except visible letters, digits, marks, punctuation and symbols. */
const HIDDEN =
  /[^\x20-\x7e\n\p{L}\p{N}\p{M}\p{P}\p{S}]|\p{Default_Ignorable_Code_Point}|[\p{Cf}\u2800\u00a0\u{1d159}\u{13441}\u{13442}\u{16fe4}]/gu;
/** More than three combining marks on one letter. */
const PILED = /(?<=\p{M}{3})\p{M}/gu;

export function rawJson(value: unknown): string {
  return visibleJson(JSON.stringify(value, null, 2) ?? 'null');
}

export function visibleJson(text: string): string {
  return text.replace(HIDDEN, escaped).replace(PILED, escaped);
}

function escaped(characters: string): string {
  return [...Array(characters.length).keys()]
    .map((at) => `\\u${characters.charCodeAt(at).toString(16).padStart(4, '0')}`)
    .join('');
}
