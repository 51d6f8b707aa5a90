const BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/\bEdgA?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:Chrome|Chromium|CriOS|HeadlessChrome)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
];

const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/\bAndroid\b/, 'Android'],
  [/\b(?:iPhone|iPad)\b/, 'iOS'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bWindows\b/, 'Windows'],
  [/\bLinux\b/, 'Linux'],
];

/** Guesses a browser's name from its user agent, to distinguish sign-ins. Nothing depends on it. */
export function browserName(agent: string): string {
  const find = (table: typeof BROWSERS) => table.find(([pattern]) => pattern.test(agent))?.[1];
  const browser = find(BROWSERS);
  const system = find(SYSTEMS);
  if (browser === undefined) return 'A browser';
  return system === undefined ? browser : `${browser} on ${system}`;
}
