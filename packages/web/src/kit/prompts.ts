/** Saved prompts (D49): texts that the user reuses, with variables such as `{{file}}`. */
import { cell } from './cell.ts';
import { persisted } from './persisted.ts';

export interface SavedPrompt {
  /** Without spaces, to be typed after a slash. */
  readonly name: string;
  readonly text: string;
}

export const MAX_PROMPT_NAME = 40;
export const MAX_PROMPT_TEXT = 8_000;
/** Of all prompts: the server keeps at most 16 KB. */
const MAX_TOTAL = 15_000;
const VARIABLE = /\{\{\s*([^{}\n]{1,40}?)\s*\}\}/g;

export const prompts = persisted<readonly SavedPrompt[]>('prompts', readPrompts, { isShared: true });

/** A prompt chosen in the command palette, for the message box of that session. */
export const wantedPrompt = cell<{ readonly session: string; readonly prompt: SavedPrompt } | undefined>(
  undefined,
);

export function promptName(typed: string): string {
  return typed.trim().replace(/^\/+/, '').replace(/\s+/g, '-').slice(0, MAX_PROMPT_NAME);
}

/** In order of their first use. */
export function variablesOf(text: string): string[] {
  return [...new Set([...text.matchAll(VARIABLE)].map(([, name = '']) => name))];
}

/** A variable without a value stays as it is written. */
export function filledPrompt(text: string, values: ReadonlyMap<string, string>): string {
  return text.replace(VARIABLE, (whole, name: string) => values.get(name) || whole);
}

/** Replaces `before`, or adds a prompt. Returns why it can't be saved. */
export function savePrompt(prompt: SavedPrompt, before?: string): string | undefined {
  const isSame = (a: string, b: string | undefined) => a.toLowerCase() === b?.toLowerCase();
  const all = prompts.get();
  if (prompt.name === '' || prompt.text.trim() === '') return 'A prompt needs a name and a text.';
  if (all.some(({ name }) => isSame(name, prompt.name) && !isSame(name, before)))
    return 'There is already a prompt with this name.';
  const others = all.filter(({ name }) => !isSame(name, before));
  const next = [...others, prompt].sort((a, b) => a.name.localeCompare(b.name));
  if (JSON.stringify(next).length > MAX_TOTAL)
    return 'All prompts together are limited to 15 KB. Shorten this one or delete another.';
  prompts.set(next);
  return undefined;
}

export function deletePrompt(name: string): void {
  prompts.set(prompts.get().filter((one) => one.name !== name));
}

export function readPrompts(raw: unknown): readonly SavedPrompt[] {
  if (!Array.isArray(raw)) return [];
  const seen = new Set<string>();
  return raw.flatMap((one: unknown) => {
    if (typeof one !== 'object' || one === null || !('name' in one) || !('text' in one)) return [];
    const { name, text } = one;
    if (typeof name !== 'string' || typeof text !== 'string') return [];
    const kept = promptName(name);
    if (kept === '' || text.trim() === '' || seen.has(kept.toLowerCase())) return [];
    seen.add(kept.toLowerCase());
    return [{ name: kept, text: text.slice(0, MAX_PROMPT_TEXT) }];
  });
}
