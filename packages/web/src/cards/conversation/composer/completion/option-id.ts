/** The element id of a list option, used by `aria-activedescendant`. */
export function optionId(list: string, at: number): string {
  return `${list}-${at}`;
}
