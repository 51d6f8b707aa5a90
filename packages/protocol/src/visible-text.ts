/**
 * Makes hidden characters visible in text that a user decides on (C6): characters that reverse the reading order,
 * have no width, or look like a space can disguise a command or a file name. They are shown as ⟨U+202E⟩. Based on
 * Unicode properties, so later versions are covered. Pure; for commands, file names, titles and diffs, not for prose.
 */
/** C0 (except tab and newline), DEL, C1. */
const CONTROLS = '\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f';
/** Characters without a glyph, direction controls, unassigned and private-use characters. */
const NOT_DRAWN =
  '\\p{Cf}\\p{Default_Ignorable_Code_Point}\\p{Bidi_Control}\\p{Zl}\\p{Zp}\\p{Cs}\\p{Co}\\p{Cn}';
/**
 * Blank characters that Unicode classifies as letters, marks or symbols: Braille, a note head, Egyptian and Khitan
 * fillers.
 */
const BLANK = '\\u2800\\u{1d159}\\u{13441}\\u{13442}\\u{16fe4}';
/** Pictures of control characters could be mistaken for escaped ones. */
const PICTURES = '\\u2400-\\u243f';
const SPACES = '(?! )\\p{Zs}';
const HIDDEN = `[${CONTROLS}${NOT_DRAWN}${BLANK}${PICTURES}]|${SPACES}`;

/** One emoji with its modifier or variation selector; reserved code points are not emoji. */
const EMOJI = '(?!\\p{Cn})\\p{Extended_Pictographic}(?:\\ufe0f|\\p{Emoji_Modifier})?';
const FAMILY = `${EMOJI}(?:\\u200d${EMOJI}){0,3}`;
const KEYCAP = '[0-9#*]\\ufe0f\\u20e3';
/** England, Scotland and Wales; no other tag sequence is drawn, and tags can hide whole messages. */
const FLAG =
  '\\u{1f3f4}\\u{e0067}\\u{e0062}(?:\\u{e0065}\\u{e006e}\\u{e0067}|\\u{e0073}\\u{e0063}\\u{e0074}|\\u{e0077}\\u{e006c}\\u{e0073})\\u{e007f}';
/** Scripts in which a joiner changes the letters. */
const JOINED = ['Arab', 'Syrc', 'Mong', 'Deva', 'Beng', 'Guru', 'Gujr', 'Orya', 'Taml', 'Telu', 'Knda']
  .concat(['Mlym', 'Sinh', 'Khmr', 'Mymr'])
  .map((script) => `\\p{Script=${script}}`)
  .join('');
const JOINER = `(?<=[${JOINED}])[\\u200c\\u200d](?=[${JOINED}])`;

const EXACT = new RegExp(HIDDEN, 'gu');
const READABLE = new RegExp(`(${FLAG}|${KEYCAP}|${FAMILY}|${JOINER})|${HIDDEN}`, 'gu');

/** For titles, questions and lines of code: keeps emoji, and joiners in scripts that need them. */
export function visibleText(text: string): string {
  return limitMarks(text.replace(READABLE, (all: string, kept: string | undefined) => kept ?? escaped(all)));
}

/** For commands, names and permission requests: escapes without exception. */
export function visibleExact(text: string): string {
  return limitMarks(text.replace(EXACT, escaped));
}

/** For file names, in which a tab or newline would look like a space. */
export function visiblePath(path: string): string {
  return visibleExact(path).replace(/[\t\n]/g, escaped);
}

const MANY_MARKS = /(\p{M}{24})\p{M}+/gu;

/**
 * Limits combining marks on one letter and appends the number of the rest: drawing thousands takes quadratic time and
 * blocks the page.
 */
export function limitMarks(text: string): string {
  return text.replace(
    MANY_MARKS,
    (all: string, some: string) => `${some}⟨${all.length - some.length} more marks⟩`,
  );
}

const CONTROL = new RegExp(`[${CONTROLS}]`, 'g');

/** For prose on a terminal: escapes only control characters. */
export function visibleControls(text: string): string {
  return text.replace(CONTROL, escaped);
}

/** Without the carriage return, which ends lines of pasted text. */
const CONTROL_IN_PROSE = new RegExp(`(?!\\r)[${CONTROLS}]`, 'g');

/**
 * For prose in the page, and code that needs no decision. No font has glyphs for control characters: for each of them
 * the browser would search every font.
 */
export function visibleProse(text: string): string {
  return limitMarks(text.replace(CONTROL_IN_PROSE, escaped));
}

function escaped(character: string): string {
  const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase();
  return `⟨U+${code.padStart(4, '0')}⟩`;
}
