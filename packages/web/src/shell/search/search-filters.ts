/** The search filters as data, and the request they produce. Pure. */
import type { SearchKind } from '@tugdeck/protocol/search/search';

export interface Filters {
  readonly project: string;
  readonly agent: string;
  readonly kind: string;
  readonly since: string;
}

export const NO_FILTERS: Filters = { project: '', agent: '', kind: '', since: '' };

export const KIND_LABELS: Readonly<Record<SearchKind, string>> = {
  title: 'Title',
  prompt: 'You',
  answer: 'Answer',
  tool: 'Tool',
};

const DAY = 24 * 3_600_000;
export const SINCE: readonly { readonly id: string; readonly label: string; readonly ms: number }[] = [
  { id: 'day', label: 'Last 24 hours', ms: DAY },
  { id: 'week', label: 'Last 7 days', ms: 7 * DAY },
  { id: 'month', label: 'Last 30 days', ms: 30 * DAY },
  { id: 'year', label: 'Last year', ms: 365 * DAY },
];

export function searchRequest(query: string, { project, agent, kind, since }: Filters, now: number) {
  const span = SINCE.find(({ id }) => id === since);
  return {
    query,
    limit: 40,
    ...(project === '' ? {} : { project }),
    ...(agent === '' ? {} : { agent }),
    ...(kind === '' ? {} : { kind: kind as SearchKind }),
    // Rounded to the minute, so that a re-render does not cause a new request.
    ...(span ? { after: Math.floor((now - span.ms) / 60_000) * 60_000 } : {}),
  };
}
