/** Looks up an untrusted name in a table, safe against `constructor` and `__proto__`. */
export function ownProperty<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}
