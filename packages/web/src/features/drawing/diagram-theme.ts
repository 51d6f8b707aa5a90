/** The colors of diagrams in the current theme, and notification of changes. */
export interface DiagramTheme {
  readonly isDark: boolean;
  readonly colors: Readonly<Record<string, string>>;
  readonly soft: readonly string[];
  readonly strong: readonly string[];
}

const TOKENS: Readonly<Record<string, string>> = {
  background: '--background',
  foreground: '--foreground',
  card: '--card',
  muted: '--muted',
  accent: '--accent',
  border: '--input',
  line: '--muted-foreground',
  primary: '--primary',
  onStrong: '--primary-foreground',
};
const SOFT = ['--bubble', '--added-word', '--accent', '--removed-word', '--muted'];
const STRONG = ['--primary', '--success', '--warning', '--syntax-keyword', '--syntax-type', '--destructive'];

/** Tokens depend on the color scheme, so computed colors are read. */
export function currentDiagramTheme(): DiagramTheme {
  const probe = document.createElement('span');
  probe.hidden = true;
  document.body.append(probe);
  const colorOf = (token: string) => {
    probe.style.color = `var(${token})`;
    return getComputedStyle(probe).color;
  };
  const colors = Object.fromEntries(Object.entries(TOKENS).map(([name, token]) => [name, colorOf(token)]));
  const soft = SOFT.map(colorOf);
  const strong = STRONG.map(colorOf);
  probe.remove();
  const [red = 0, green = 0, blue = 0] = (colors.background ?? '').match(/\d+/g)?.map(Number) ?? [];
  return { isDark: red + green + blue < 384, colors, soft, strong };
}

export function onDiagramThemeChange(listener: () => void): () => void {
  const schemes = [matchMedia('(prefers-color-scheme: dark)'), matchMedia('(prefers-contrast: more)')];
  const attributes = new MutationObserver(listener);
  attributes.observe(document.documentElement, { attributeFilter: ['data-scheme', 'data-contrast'] });
  for (const scheme of schemes) scheme.addEventListener('change', listener);
  return () => {
    attributes.disconnect();
    for (const scheme of schemes) scheme.removeEventListener('change', listener);
  };
}
