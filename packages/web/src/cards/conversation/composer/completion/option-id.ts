/** The id of an option of the list, by its place: the text's `aria-activedescendant` names it. */
export function optionId(list: string, at: number): string {
  return `${list}-${at}`;
}
