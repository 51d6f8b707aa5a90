/**
 * The port keeper, and what it and the server say to each other: JSON lines on its private socket. Keepers outlive
 * upgrades, so what is here stays understood.
 */
import { z } from 'zod';
import { timingsSchema, withTimings } from './timings.ts';

/** What the keeper is told at its start, as one JSON document on its stdin. */
export const keeperConfigSchema = z.object({
  dataDirectory: z.string(),
  runtimeDirectory: z.string(),
  /** As the user named it. */
  host: z.string(),
  port: z.number().int().min(0).max(65_535).optional(),
  /** What goes through is TLS: while no server runs, nothing can be answered. */
  isSecure: z.boolean(),
  timings: timingsSchema.optional().transform(withTimings),
  logLevel: z.enum(['debug', 'info', 'warn', 'error']).optional(),
});
export type KeeperConfig = z.infer<typeof keeperConfigSchema>;
export type KeeperConfigInput = z.input<typeof keeperConfigSchema>;

/** Its line in the ledger: there is one keeper per data directory. */
export const KEEPER_RECORD = 'keeper';
export const KEEPER_LINK_VERSION = 1;

/** To the keeper. The first names the secret of its ledger record. */
export const keeperRequestSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('hello'), secret: z.string() }),
  /** Connections go to this socket for as long as this link is open. */
  z.object({ type: z.literal('serve'), socket: z.string() }),
  z.object({ type: z.literal('end') }),
]);
export type KeeperRequest = z.infer<typeof keeperRequestSchema>;

/** From the keeper, in answer to `hello`: which port is held, and the instance that it makes (X1). */
export const keeperAnswerSchema = z.object({
  type: z.literal('held'),
  host: z.string(),
  port: z.number().int(),
  isSecure: z.boolean(),
  instance: z.object({ id: z.string(), key: z.string() }),
});
export type KeeperAnswer = z.infer<typeof keeperAnswerSchema>;

/**
 * Before a connection's own bytes the keeper writes one line, the address that it came from, and the server answers with one
 * line end: from then on both are as good as the browser's own connection.
 */
export const RELAY_ACK = '\n';
export const MAX_RELAY_LINE = 100;
