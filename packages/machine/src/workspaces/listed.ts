/** Names for a note. Those after the sixth are only counted. */
export function listed(names: readonly string[]): string {
  const some = names.slice(0, 6).join(', ');
  return names.length > 6 ? `${some} and ${names.length - 6} more` : some;
}
