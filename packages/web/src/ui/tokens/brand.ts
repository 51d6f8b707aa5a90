/** Colors of our mark outside of the page's theme: a browser's tab bar has its own. */
export const BRAND = {
  ground: '#171923',
  hull: '#7aa2f7',
  cabin: '#e6e9f5',
  funnel: '#ffb454',
  needs: '#ffb454',
  needsText: '#1e1400',
  work: '#7aa2f7',
} as const;
