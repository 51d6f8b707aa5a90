/** The search area (S5): full-text search over all conversations. */
import { z } from 'zod';
import { searchAnswerSchema, searchSchema } from '../search/search.ts';
import { defineArea, nothing } from './area.ts';

export const search = defineArea('search', {
  about: nothing,
  calls: {
    search: {
      /** Only sessions of this project, if it is given. */
      input: searchSchema.extend({ project: z.string().max(100).optional() }),
      output: searchAnswerSchema,
    },
  },
  wire: { only: 'search' },
});
