/**
 * The tab's icon (D7): our mark, with a count of sessions that need the user (amber), or a dot while agents work (blue).
 * Pure; the colors are fixed, because a browser's tab bar does not follow the page's theme.
 */
import type { SessionRow } from '@tugdeck/protocol/wire/deck';
import { sessionState } from '../../kit/session-state.ts';
import { BRAND } from '../../ui/tokens/brand.ts';

export interface FaviconState {
  readonly needs: number;
  readonly isWorking: boolean;
}

export function faviconState(rows: readonly SessionRow[], now: number): FaviconState {
  const states = rows.flatMap((row) =>
    row.archived || row.trashedAt !== undefined ? [] : [sessionState(row, { now })],
  );
  return {
    needs: states.filter((state) => state === 'needs').length,
    isWorking: states.includes('working'),
  };
}

const MARK = [
  `<rect width="32" height="32" rx="7" fill="${BRAND.ground}"/>`,
  `<path fill="${BRAND.hull}" d="M4 18.5h24l-3.2 5.8a2.3 2.3 0 0 1-2 1.2H9.2a2.3 2.3 0 0 1-2-1.2Z"/>`,
  `<path fill="${BRAND.cabin}" d="M9 10.5A1.5 1.5 0 0 1 10.5 9h5.5a1.5 1.5 0 0 1 1.5 1.5v6H9Z"/>`,
  `<path fill="${BRAND.funnel}" d="M20 6h3.6v10.5H20Z"/>`,
].join('');
const EDGE = `stroke="${BRAND.ground}" stroke-width="1.5"`;
const BADGE = `<rect x="13" y="13" width="19" height="19" rx="9.5" fill="${BRAND.needs}" ${EDGE}/>`;
const DOT = `<circle cx="25" cy="25" r="6" fill="${BRAND.work}" ${EDGE}/>`;
const FONT = 'text-anchor="middle" font-family="Inter,Arial,sans-serif" font-weight="700"';

/** As an address for `<link rel="icon">`. */
export function faviconUrl({ needs, isWorking }: FaviconState): string {
  const count = needs > 9 ? '9+' : String(needs);
  const size = count.length > 1 ? 11 : 14;
  const text = `<text x="22.5" y="27.5" ${FONT} font-size="${size}" fill="${BRAND.needsText}">${count}</text>`;
  const state = needs > 0 ? BADGE + text : isWorking ? DOT : '';
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">${MARK}${state}</svg>`;
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}

export function showFavicon(state: FaviconState): void {
  const link = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
  const url = faviconUrl(state);
  if (link && link.href !== url) link.href = url;
}
