/** The theme: the system's or a chosen one, plus high contrast. Sets the attributes that the tokens use. */
import { persisted } from './persisted.ts';

export const THEMES = ['system', 'dark', 'light', 'contrast'] as const;
export type Theme = (typeof THEMES)[number];

export const THEME_LABELS: Readonly<Record<Theme, string>> = {
  system: 'System',
  dark: 'Dark',
  light: 'Light',
  contrast: 'High contrast',
};

export const theme = persisted<Theme>('theme', (raw) => THEMES.find((name) => name === raw) ?? 'system', {
  isShared: true,
});

export function applyTheme(root: HTMLElement, chosen: Theme, wantsContrast: boolean): void {
  if (chosen === 'dark' || chosen === 'light') root.dataset.scheme = chosen;
  else delete root.dataset.scheme;
  if (chosen === 'contrast' || (chosen === 'system' && wantsContrast)) root.dataset.contrast = 'high';
  else delete root.dataset.contrast;
}

export function followTheme(root: HTMLElement): void {
  const contrast = matchMedia('(prefers-contrast: more)');
  const apply = () => applyTheme(root, theme.get(), contrast.matches);
  apply();
  theme.subscribe(apply);
  contrast.addEventListener('change', apply);
}
