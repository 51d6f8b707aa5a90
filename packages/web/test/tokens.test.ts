import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

const read = (name: string) => readFileSync(new URL(`../src/ui/tokens/${name}.css`, import.meta.url), 'utf8');

type Scheme = 'light' | 'dark';
type Tokens = Readonly<Record<string, Readonly<Record<Scheme, string>>>>;

function tokensOf(css: string): Tokens {
  const found: Record<string, Record<Scheme, string>> = {};
  for (const [, name, light, dark] of css.matchAll(/--([\w-]+): light-dark\((#\w+), (#\w+)\)/g)) {
    if (name && light && dark) found[name] = { light, dark };
  }
  return found;
}

function luminance(hex: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
    const channel = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return channel <= 0.03928 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(a: string, b: string): number {
  const [low = 0, high = 0] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (high + 0.05) / (low + 0.05);
}

const BACKGROUNDS = [
  'background',
  'sidebar',
  'card',
  'muted',
  'accent',
  'code',
  'warning-tint',
  'destructive-tint',
  'primary-tint',
  'app',
  'selected',
  'segment',
];
const PAIRS: readonly (readonly [text: string, background: string])[] = [
  ...BACKGROUNDS.flatMap((background) => [
    ['foreground', background] as const,
    ['muted-foreground', background] as const,
  ]),
  ...['background', 'sidebar', 'card', 'muted', 'primary-tint', 'warning-tint'].map(
    (g) => ['primary', g] as const,
  ),
  ...['background', 'sidebar', 'card'].flatMap((background) => [
    ['success', background] as const,
    ['warning', background] as const,
    ['destructive', background] as const,
  ]),
  ...['background', 'sidebar', 'card', 'app'].flatMap((background) =>
    ['faint', 'work', 'review', 'ok', 'bad'].map((text) => [text, background] as const),
  ),
  ['needs-foreground', 'needs'],
  ['warning', 'app'],
  ['warning', 'warning-tint'],
  ['destructive', 'destructive-tint'],
  ['destructive', 'code'],
  ['added-foreground', 'background'],
  ['removed-foreground', 'background'],
  ['card-foreground', 'card'],
  ['accent-foreground', 'accent'],
  ['bubble-foreground', 'bubble'],
  ...['primary', 'success', 'warning', 'destructive', 'added', 'removed'].map(
    (n) => [`${n}-foreground`, n] as const,
  ),
  ...['added', 'added-word', 'removed', 'removed-word'].map(
    (background) => ['code-foreground', background] as const,
  ),
];

const base = tokensOf(read('colors'));
const accents = [...read('accents').matchAll(/:root\[data-accent="(\w+)"\] \{([^}]*)\}/g)].map(
  ([, name = '', body = '']) => ({
    name: `accent ${name}`,
    tokens: { ...base, ...tokensOf(body) },
    minimum: 4.5,
  }),
);
const high = { ...base, ...tokensOf(read('contrast')) };

describe.each([
  { name: 'plain', tokens: base, minimum: 4.5 },
  ...accents,
  { name: 'high contrast', tokens: high, minimum: 7 },
])('D8 $name', ({ tokens, minimum }) => {
  const onCode = Object.keys(tokens)
    .filter((name) => /^(syntax|ansi)-/.test(name))
    .map((name) => [name, 'code'] as const);
  // Code in a diff is on tinted backgrounds, where comments and changed words have separate colors.
  const onTints = Object.keys(tokens)
    .filter((name) => name.startsWith('syntax-') && name !== 'syntax-comment')
    .flatMap((name) => ['added', 'removed'].map((background) => [name, background] as const));

  test.each(['dark', 'light'] as const)('all text is readable on its background (%s)', (scheme) => {
    const poor = [...PAIRS, ...onCode, ...onTints].flatMap(([text, background]) => {
      const front = tokens[text]?.[scheme];
      const back = tokens[background]?.[scheme];
      if (!front || !back) return [`${text} or ${background} is not a token`];
      const ratio = contrast(front, back);
      return ratio < minimum ? [`${text} on ${background}: ${ratio.toFixed(2)}`] : [];
    });
    expect(poor).toEqual([]);
    expect(onCode.length).toBe(29);
  });
});

test('D8 every accent but the default has its colors', () => {
  expect(accents.map(({ name }) => name)).toEqual(['accent teal', 'accent pink', 'accent graphite']);
});

test('D8 high contrast overrides every text color', () => {
  const restated = tokensOf(read('contrast'));
  expect(Object.keys(base).filter((name) => !(name in restated))).toEqual(['shadow', 'scrim']);
});

test('D14 only answers to an agent have an amber button', () => {
  const root = new URL('../src/', import.meta.url);
  const views = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((path) =>
    path.endsWith('.tsx'),
  );
  const amber = views.filter((path) => /look=[^\n>]*warning/.test(readFileSync(new URL(path, root), 'utf8')));
  expect(amber.sort()).toEqual(['cards/home/CardRequest.tsx', 'features/requests/OpenPermission.tsx']);
});

test('D8 a filled button keeps its background on hover', () => {
  const parts = readFileSync(new URL('../src/ui/parts.css', import.meta.url), 'utf8');
  const hovered = [...parts.matchAll(/^(\.button[^{]*:hover[^{]*)\{([^}]*)\}/gm)].filter(([, , body]) =>
    body?.includes('background'),
  );
  expect(hovered.length).toBeGreaterThan(0);
  for (const [, selector] of hovered) {
    for (const look of ['primary', 'warning', 'link']) {
      expect(selector?.match(/:not\(([^)]*)\)/)?.[1]).toContain(`[data-look="${look}"]`);
    }
  }
});
