/** Looks a foreign name up in a table of ours. `constructor` and `__proto__` are names that no table has. */
export function ownProperty<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}
