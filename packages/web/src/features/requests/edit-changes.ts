/** Summarizes an edited input in one line: the new command, or each changed field. Pure. */
const SHOWN = 300;

export function changesOf(before: unknown, after: unknown): string {
  const text = isRecord(before) && isRecord(after) ? changedFields(before, after) : plainText(after);
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
}

export function isSameInput(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

export function fieldLabel(key: string): string {
  return key.replace(/_/g, ' ').replace(/^./, (first) => first.toUpperCase());
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function changedFields(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): string {
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const changed = keys.filter((key) => !isSameInput(before[key], after[key]));
  if (changed.length === 1 && changed[0] === 'command') return plainText(after.command);
  return changed
    .map((key) => `${fieldLabel(key)}: ${Object.hasOwn(after, key) ? plainText(after[key]) : 'removed'}`)
    .join(', ');
}

function plainText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}
