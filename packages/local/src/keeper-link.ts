/**
 * The protocol between the port keeper and the server: JSON lines on the keeper's private socket. Keepers outlive
 * upgrades, so this format must stay compatible.
 */
import type { LeaseTimings } from './lock.ts';
import { LOG_LEVELS, type LogLevel } from './log.ts';
import { isAmount, isFlag, isOneOf, isText, isWhole, optional, shapeOf } from './shape.ts';

/** The configuration of the keeper, sent as one line of JSON on its stdin. */
export interface KeeperConfig {
  readonly dataDirectory: string;
  readonly runtimeDirectory: string;
  /** As given by the user. */
  readonly host: string;
  readonly port?: number | undefined;
  /** Connections use TLS, so the keeper can't answer requests itself while no server runs. */
  readonly isSecure: boolean;
  readonly timings: LeaseTimings;
  readonly logLevel?: LogLevel | undefined;
}

export const isKeeperConfig = shapeOf<KeeperConfig>({
  dataDirectory: isText,
  runtimeDirectory: isText,
  host: isText,
  port: optional(isWhole(0, 65_535)),
  isSecure: isFlag,
  timings: shapeOf<LeaseTimings>({ leaseMs: isAmount, leaseExpiryMs: isAmount }),
  logLevel: optional(isOneOf(LOG_LEVELS)),
});

/** Its id in the ledger; there is one keeper per data directory. */
export const KEEPER_RECORD = 'keeper';
export const KEEPER_LINK_VERSION = 1;

/** To the keeper. The first names the secret of its ledger record. */
export type KeeperRequest =
  | { readonly type: 'hello'; readonly secret: string }
  /** Connections go to this socket for as long as this link is open. */
  | { readonly type: 'serve'; readonly socket: string }
  | { readonly type: 'end' };

type Of<T extends KeeperRequest['type']> = Extract<KeeperRequest, { type: T }>;
const isHello = shapeOf<Of<'hello'>>({ type: isOneOf(['hello']), secret: isText });
const isServe = shapeOf<Of<'serve'>>({ type: isOneOf(['serve']), socket: isText });
const isEnd = shapeOf<Of<'end'>>({ type: isOneOf(['end']) });
export const isKeeperRequest = (value: unknown): value is KeeperRequest =>
  isHello(value) || isServe(value) || isEnd(value);

/** From the keeper, in answer to `hello`: the port that it holds, and the port's instance (X1). */
export interface KeeperAnswer {
  readonly type: 'held';
  readonly host: string;
  readonly port: number;
  readonly isSecure: boolean;
  readonly instance: { readonly id: string; readonly key: string };
}

export const isKeeperAnswer = shapeOf<KeeperAnswer>({
  type: isOneOf(['held']),
  host: isText,
  port: isWhole(1, 65_535),
  isSecure: isFlag,
  instance: shapeOf<KeeperAnswer['instance']>({ id: isText, key: isText }),
});

/**
 * The keeper precedes each relayed connection with one line, the browser's address, and the server answers with a
 * line feed. From then on, bytes pass unchanged in both directions.
 */
export const RELAY_ACK = '\n';
export const MAX_RELAY_LINE = 100;
