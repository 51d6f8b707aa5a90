/** The stats area (W5): resource use of our processes, cost of the agents, and the user's long commands. */
import { z } from 'zod';
import { buildSchema, sampleSchema, usageRowSchema } from '../stats/stats-messages.ts';
import { defineArea, done, nothing, onMachine } from './area.ts';

const buildRef = z.object({ project: z.string().max(100), name: z.string().max(100) });

export const stats = defineArea('stats', {
  about: z.object(onMachine),
  events: z.union([z.object({ sample: sampleSchema }), z.object({ build: buildSchema })]),
  calls: {
    /** Samples of the last minutes; new ones are pushed from then on. */
    watch: { input: nothing, output: z.object({ samples: z.array(sampleSchema) }) },
    usage: {
      input: z.object({ days: z.number().int().min(1).max(366) }),
      output: z.object({ rows: z.array(usageRowSchema) }),
    },
    builds: { input: nothing, output: z.object({ builds: z.array(buildSchema) }) },
    'build.run': { input: buildRef, output: buildSchema },
    'build.stop': { input: buildRef, output: done },
  },
});
