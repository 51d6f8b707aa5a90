/** Names for a note; many are counted. */
export function listed(names: readonly string[]): string {
  const some = names.slice(0, 6).join(', ');
  return names.length > 6 ? `${some} and ${names.length - 6} more` : some;
}
