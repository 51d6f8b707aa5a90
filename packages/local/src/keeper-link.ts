/**
 * The protocol between the port keeper and the server: JSON lines on the keeper's private socket. Keepers outlive
 * upgrades, so this format must stay compatible.
 */
import { z } from 'zod';
import { timingsSchema, withTimings } from './timings.ts';

/** The configuration of the keeper, sent as one JSON document on its stdin. */
export const keeperConfigSchema = z.object({
  dataDirectory: z.string(),
  runtimeDirectory: z.string(),
  /** As given by the user. */
  host: z.string(),
  port: z.number().int().min(0).max(65_535).optional(),
  /** Connections use TLS, so the keeper cannot answer requests itself while no server runs. */
  isSecure: z.boolean(),
  timings: timingsSchema.optional().transform(withTimings),
  logLevel: z.enum(['debug', 'info', 'warn', 'error']).optional(),
});
export type KeeperConfig = z.infer<typeof keeperConfigSchema>;
export type KeeperConfigInput = z.input<typeof keeperConfigSchema>;

/** Its id in the ledger; there is one keeper per data directory. */
export const KEEPER_RECORD = 'keeper';
export const KEEPER_LINK_VERSION = 1;

/** Requests to the keeper. The first contains the secret of its ledger record. */
export const keeperRequestSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('hello'), secret: z.string() }),
  /** Relays connections to this socket while this connection is open. */
  z.object({ type: z.literal('serve'), socket: z.string() }),
  z.object({ type: z.literal('end') }),
]);
export type KeeperRequest = z.infer<typeof keeperRequestSchema>;

/** The keeper's answer to `hello`: its port and the instance that it created (X1). */
export const keeperAnswerSchema = z.object({
  type: z.literal('held'),
  host: z.string(),
  port: z.number().int(),
  isSecure: z.boolean(),
  instance: z.object({ id: z.string(), key: z.string() }),
});
export type KeeperAnswer = z.infer<typeof keeperAnswerSchema>;

/**
 * The keeper precedes each relayed connection with one line, the browser's address, and the server answers with a
 * line feed. From then on, bytes pass unchanged in both directions.
 */
export const RELAY_ACK = '\n';
export const MAX_RELAY_LINE = 100;
