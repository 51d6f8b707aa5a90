import type { z } from 'zod';

/** The first schema error as text: path and message. */
export function problemOf(error: z.ZodError): string {
  const issue = error.issues[0];
  return `${issue?.path.join('.') || 'message'}: ${issue?.message ?? 'invalid value'}`;
}
