/**
 * Text that somebody decides on, with everything in it made visible (C6): characters that turn the reading order
 * around, have no width, or look like a space and are none can lie about what a command runs or which file is meant.
 * They are written out as ⟨U+202E⟩. Pure; for commands, file names, titles and diffs, not for prose.
 */
/** C0 (but tab and newline), DEL, C1. */
const CONTROLS = '\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f';
const DIRECTIONS = '\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069';
const INVISIBLE =
  '\\u00ad\\u034f\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b\\u2028\\u2029\\u2060-\\u2065\\u206a-\\u206f\\u2800\\u3164\\ufeff\\uffa0\\ufff9-\\ufffb';
const SPACES = '\\u00a0\\u1680\\u2000-\\u200a\\u202f\\u205f';
/** Tags and further variation selectors: whole messages can hide in them. */
const PLANE_14 = '\\u{e0000}-\\u{e01ef}';
const LONE_SURROGATES = '\\p{Cs}';
/** Joiners are right between letters of scripts that need them and between emoji; beside ASCII they only hide. */
const JOINERS = '(?<![^\\u0000-\\u007f])[\\u200c\\u200d]|[\\u200c\\u200d](?![^\\u0000-\\u007f])';

const HIDDEN = new RegExp(
  `[${CONTROLS}${DIRECTIONS}${INVISIBLE}${SPACES}${PLANE_14}${LONE_SURROGATES}]|${JOINERS}`,
  'gu',
);

export function visibleText(text: string): string {
  return fewMarks(text.replace(HIDDEN, spelled));
}

/** For the name of a file, which may have any character but one: a tab or a newline in it would look like a space. */
export function visiblePath(path: string): string {
  return visibleText(path).replace(/[\t\n]/g, spelled);
}

const MANY_MARKS = /(\p{M}{24})\p{M}+/gu;

/**
 * Marks piled upon one letter, as many as any language has a use for, and the number of the others: to draw thousands
 * takes a time that grows with their square, in which nothing else can be done.
 */
export function fewMarks(text: string): string {
  return text.replace(
    MANY_MARKS,
    (all: string, some: string) => `${some}⟨${all.length - some.length} more marks⟩`,
  );
}

const CONTROL = new RegExp(`[${CONTROLS}]`, 'g');

/** For prose on a terminal: only what could steer it. */
export function visibleControls(text: string): string {
  return text.replace(CONTROL, spelled);
}

/** As above, but for the carriage return, which ends lines of what people paste. */
const CONTROL_IN_PROSE = new RegExp(`(?!\\r)[${CONTROLS}]`, 'g');

/**
 * For prose in the page, and for code that nobody decides on. No font has a picture for a control character: a text with
 * thousands of them, such as the colours of a terminal, would be searched through every font of the machine for each.
 */
export function proseText(text: string): string {
  return fewMarks(text.replace(CONTROL_IN_PROSE, spelled));
}

function spelled(character: string): string {
  const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase();
  return `⟨U+${code.padStart(4, '0')}⟩`;
}
