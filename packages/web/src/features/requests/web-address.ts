/** The URL that a request wants opened, if it is a web URL; anything else never becomes a link. */
export function webAddress(raw: unknown): string | undefined {
  const url = raw !== null && typeof raw === 'object' && 'url' in raw ? raw.url : undefined;
  if (typeof url !== 'string' || !URL.canParse(url)) return undefined;
  const { protocol, username, password, href } = new URL(url);
  const isPlain = username === '' && password === '';
  return (protocol === 'https:' || protocol === 'http:') && isPlain ? href : undefined;
}
