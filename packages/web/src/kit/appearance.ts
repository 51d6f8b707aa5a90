/** Accent, text size and density, as chosen in Settings. Sets what the tokens use. */
import { type Persisted, persisted } from './persisted.ts';

export const ACCENTS = ['blue', 'teal', 'pink', 'graphite'] as const;
export const TEXT_SIZES = [12, 13, 14, 15, 16] as const;
export const DENSITIES = ['comfortable', 'compact'] as const;

/** The size that the type scale is written for. */
const DEFAULT_SIZE = 13;

export const accent = choice('accent', ACCENTS, 'blue');
export const textSize = choice('text-size', TEXT_SIZES, DEFAULT_SIZE);
export const density = choice('density', DENSITIES, 'comfortable');

function choice<const T>(key: string, all: readonly T[], whenUnset: T): Persisted<T> {
  return persisted<T>(key, (raw) => all.find((one) => one === raw) ?? whenUnset, { isShared: true });
}

/** The chosen text size relative to the default, for sizes that are not in a style sheet. */
export const textScale = () => textSize.get() / DEFAULT_SIZE;

export function followAppearance(root: HTMLElement): void {
  const apply = () => {
    root.dataset.accent = accent.get();
    root.dataset.density = density.get();
    root.style.setProperty('--type', String(textScale()));
  };
  apply();
  for (const setting of [accent, textSize, density]) setting.subscribe(apply);
}
