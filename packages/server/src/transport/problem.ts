import type { z } from 'zod';

/** The first thing a schema found, in words: where, and what. */
export function problemOf(error: z.ZodError): string {
  const issue = error.issues[0];
  return `${issue?.path.join('.') || 'message'}: ${issue?.message ?? 'not understood'}`;
}
