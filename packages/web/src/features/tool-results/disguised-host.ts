/**
 * The real host of a URL whose text looks like another one: letters of other alphabets resemble Latin ones, and the
 * part before an @ looks like a host. Pure.
 */
export function disguisedHost(address: string): string | undefined {
  if (!URL.canParse(address)) return undefined;
  const { host, username, password } = new URL(address);
  const isPlain = address.toLowerCase().includes(`//${host}`) && username === '' && password === '';
  return isPlain || host === '' ? undefined : host;
}
