/**
 * Text that somebody decides on, with everything in it made visible (C6): characters that turn the reading order
 * around, have no width, or look like a space and are none can lie about what a command runs or which file is meant.
 * They are written out as ⟨U+202E⟩. By the properties that Unicode gives them, not by a list of them: what later versions
 * add is covered. Pure; for commands, file names, titles and diffs, not for prose.
 */
/** C0 (but tab and newline), DEL, C1. */
const CONTROLS = '\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f';
/** What has no picture of its own, changes directions, or is in use by nobody or by a font alone. */
const NOT_DRAWN =
  '\\p{Cf}\\p{Default_Ignorable_Code_Point}\\p{Bidi_Control}\\p{Zl}\\p{Zp}\\p{Cs}\\p{Co}\\p{Cn}';
/** Blank, though Unicode counts them as letters, marks or symbols: Braille, a note head, Egyptian and Khitan fillers. */
const BLANK = '\\u2800\\u{1d159}\\u{13441}\\u{13442}\\u{16fe4}';
/** Pictures of control characters would pass for ones that are written out. */
const PICTURES = '\\u2400-\\u243f';
const SPACES = '(?! )\\p{Zs}';
const HIDDEN = `[${CONTROLS}${NOT_DRAWN}${BLANK}${PICTURES}]|${SPACES}`;

/** One picture, with its colour or the mark that makes it one; places that Unicode keeps for later are none. */
const EMOJI = '(?!\\p{Cn})\\p{Extended_Pictographic}(?:\\ufe0f|\\p{Emoji_Modifier})?';
const FAMILY = `${EMOJI}(?:\\u200d${EMOJI}){0,3}`;
const KEYCAP = '[0-9#*]\\ufe0f\\u20e3';
/** England, Scotland and Wales; no other is drawn, and whole messages can hide in tags. */
const FLAG =
  '\\u{1f3f4}\\u{e0067}\\u{e0062}(?:\\u{e0065}\\u{e006e}\\u{e0067}|\\u{e0073}\\u{e0063}\\u{e0074}|\\u{e0077}\\u{e006c}\\u{e0073})\\u{e007f}';
/** Scripts whose letters look different with a joiner between them. */
const JOINED = ['Arab', 'Syrc', 'Mong', 'Deva', 'Beng', 'Guru', 'Gujr', 'Orya', 'Taml', 'Telu', 'Knda']
  .concat(['Mlym', 'Sinh', 'Khmr', 'Mymr'])
  .map((script) => `\\p{Script=${script}}`)
  .join('');
const JOINER = `(?<=[${JOINED}])[\\u200c\\u200d](?=[${JOINED}])`;

const EXACT = new RegExp(HIDDEN, 'gu');
const READABLE = new RegExp(`(${FLAG}|${KEYCAP}|${FAMILY}|${JOINER})|${HIDDEN}`, 'gu');

/** For titles, questions and lines of code: keeps emoji whole, and joiners where a script needs them. */
export function visibleText(text: string): string {
  return limitMarks(text.replace(READABLE, (all: string, kept: string | undefined) => kept ?? escaped(all)));
}

/** For commands, names and what a permission is asked for: written out without exception. */
export function visibleExact(text: string): string {
  return limitMarks(text.replace(EXACT, escaped));
}

/** For the name of a file, which may have any character but one: a tab or a newline in it would look like a space. */
export function visiblePath(path: string): string {
  return visibleExact(path).replace(/[\t\n]/g, escaped);
}

const MANY_MARKS = /(\p{M}{24})\p{M}+/gu;

/**
 * Marks piled upon one letter, as many as any language has a use for, and the number of the others: to draw thousands
 * takes a time that grows with their square, in which nothing else can be done.
 */
export function limitMarks(text: string): string {
  return text.replace(
    MANY_MARKS,
    (all: string, some: string) => `${some}⟨${all.length - some.length} more marks⟩`,
  );
}

const CONTROL = new RegExp(`[${CONTROLS}]`, 'g');

/** For prose on a terminal: only what could steer it. */
export function visibleControls(text: string): string {
  return text.replace(CONTROL, escaped);
}

/** As above, but for the carriage return, which ends lines of what people paste. */
const CONTROL_IN_PROSE = new RegExp(`(?!\\r)[${CONTROLS}]`, 'g');

/**
 * For prose in the page, and for code that nobody decides on. No font has a picture for a control character: a text with
 * thousands of them, such as the colours of a terminal, would be searched through every font of the machine for each.
 */
export function visibleProse(text: string): string {
  return limitMarks(text.replace(CONTROL_IN_PROSE, escaped));
}

function escaped(character: string): string {
  const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase();
  return `⟨U+${code.padStart(4, '0')}⟩`;
}
