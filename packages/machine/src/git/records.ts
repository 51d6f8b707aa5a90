/**
 * Splits git's NUL-separated output into records with the fields `names`, in this order; drops an incomplete last one.
 */
export function records<Name extends string>(text: string, names: readonly Name[]): Record<Name, string>[] {
  const parts = text.split('\0');
  const found: Record<Name, string>[] = [];
  for (let at = 0; at + names.length <= parts.length; at += names.length) {
    const fields = names.map((name, index) => [name, parts[at + index] ?? '']);
    found.push(Object.fromEntries(fields) as Record<Name, string>);
  }
  return found;
}
