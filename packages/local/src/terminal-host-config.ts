/** The configuration of the terminal host, sent as one JSON document on its stdin. */
import { z } from 'zod';
import { timingsSchema, withTimings } from './timings.ts';

export const terminalHostConfigSchema = z.object({
  dataDirectory: z.string(),
  runtimeDirectory: z.string(),
  timings: timingsSchema.optional().transform(withTimings),
  logLevel: z.enum(['debug', 'info', 'warn', 'error']).optional(),
});
export type TerminalHostConfig = z.infer<typeof terminalHostConfigSchema>;
export type TerminalHostConfigInput = z.input<typeof terminalHostConfigSchema>;

/** Its id in the ledger; there is one terminal host per data directory. */
export const TERMINALS_RECORD = 'terminals';
