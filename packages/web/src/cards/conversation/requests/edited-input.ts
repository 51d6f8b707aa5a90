/** A tool's input as text to edit, and back. A plain text stays plain text. Pure. */
export function editableText(input: unknown): string {
  return typeof input === 'string' ? input : (JSON.stringify(input ?? {}, null, 2) ?? '');
}

export type Edited = { readonly isValid: true; readonly value: unknown } | { readonly isValid: false };

export function parseEdited(original: unknown, text: string): Edited {
  if (typeof original === 'string') return { isValid: true, value: text };
  try {
    return { isValid: true, value: JSON.parse(text) };
  } catch (error) {
    if (error instanceof SyntaxError) return { isValid: false };
    throw error;
  }
}
