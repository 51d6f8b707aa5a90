/** How Home is grouped, for all browsers. */
import { persisted } from '../../kit/persisted.ts';
import type { Grouping } from './board.ts';

export const grouping = persisted<Grouping>(
  'home-grouping',
  (raw) => (raw === 'project' ? 'project' : 'state'),
  { isShared: true },
);
