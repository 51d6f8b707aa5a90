/**
 * The host that an address really goes to, where its text can be taken for another one: letters of other alphabets look
 * like Latin ones, and what stands before an @ like a host. Pure.
 */
export function disguisedHost(address: string): string | undefined {
  if (!URL.canParse(address)) return undefined;
  const { host, username, password } = new URL(address);
  const isPlain = address.toLowerCase().includes(`//${host}`) && username === '' && password === '';
  return isPlain || host === '' ? undefined : host;
}
