/** The attempts area (B37): starts, compares and settles attempts of a project. Their rows are in the deck. */
import { z } from 'zod';
import { attemptsRowSchema, comparedAttemptsSchema, startAttemptsSchema } from '../attempts/attempts.ts';
import { MAX_PROMPT } from '../conversation/commands.ts';
import { defineArea, done } from './area.ts';

const id = z.string().min(1).max(100);
const one = z.object({ group: id });
const session = z.object({ group: id, session: id });

export const attempts = defineArea('attempts', {
  about: z.object({ project: id }),
  /** A check started or ended, or files of a compared group changed. */
  events: z.object({ changed: z.literal(true) }),
  calls: {
    /** Replies when the prompt is on disk; the rows then show the progress. */
    start: { input: startAttemptsSchema, output: attemptsRowSchema },
    compare: { input: one, output: comparedAttemptsSchema },
    /** Runs the check command in each workspace, or in one. */
    check: { input: one.extend({ session: id.optional() }), output: done },
    /** A follow-up: the same text for each of these sessions. */
    send: {
      input: one.extend({
        sessions: z.array(id).min(1).max(20),
        command: z.uuid(),
        text: z.string().min(1).max(MAX_PROMPT),
      }),
      output: done,
    },
    /** Archives the others. */
    choose: { input: session, output: done },
  },
});
