/** Splits a command line into options and words, with readable errors. */
import { parseArgs } from 'node:util';

interface OptionName {
  readonly name: string;
  /** Set if it needs a value. */
  readonly value?: string;
  readonly short?: string;
}

export class UsageError extends Error {}

/** Options and other words. Throws a `UsageError` for an unknown option or a missing value. */
export function parseWords(args: readonly string[], known: readonly OptionName[]) {
  const options = Object.fromEntries(
    known.map(({ name, value, short }) => [
      name,
      { type: value === undefined ? ('boolean' as const) : ('string' as const), ...(short ? { short } : {}) },
    ]),
  );
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true, strict: true });
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? '';
    if (!code.startsWith('ERR_PARSE_ARGS')) throw error;
    throw new UsageError(readableMessage(code, args, known, (error as Error).message));
  }
}

function readableMessage(
  code: string,
  args: readonly string[],
  all: readonly OptionName[],
  message: string,
): string {
  if (code !== 'ERR_PARSE_ARGS_UNKNOWN_OPTION') return message.split('. ')[0] ?? message;
  const known = new Set(all.flatMap(({ name, short }) => [`--${name}`, `-${short}`]));
  const unknown = args.find((word) => word.startsWith('-') && !known.has(word.split('=')[0] ?? ''));
  return `unknown option ${unknown ?? ''}`.trim();
}
