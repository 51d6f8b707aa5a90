/** How long the server's event loop was held in a stretch of time, by a monitor inside it. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Product } from '../kit/product.ts';

const MONITOR = fileURLToPath(new URL('loop-monitor.cjs', import.meta.url));

export interface Holds {
  /** The longest, without what it waited for a processor. */
  readonly held: number;
  /** The longest by the clock: what a busy machine makes of it. */
  readonly passed: number;
}

export class LoopHolds {
  readonly #file: string;
  /** For the start of the product. */
  readonly environment: Readonly<Record<string, string>>;

  constructor(product: Product) {
    this.#file = join(product.sandbox.root, 'loop');
    this.environment = {
      NODE_OPTIONS: `--require ${MONITOR}`,
      TUGDECK_LOOP_FILE: this.#file,
      TUGDECK_LOOP_AFTER: join(product.data.ledger, 'server.json'),
    };
  }

  /** Between two times of `Date.now`. */
  longest(from: number, to: number): Holds {
    const noted = existsSync(this.#file) ? readFileSync(this.#file, 'utf8').trimEnd().split('\n') : [];
    const holds = noted
      .map((line) => line.split(' ').map(Number))
      .filter(([at = 0]) => at >= from && at <= to);
    return {
      held: Math.max(0, ...holds.map(([, held = 0]) => held)),
      passed: Math.max(0, ...holds.map(([, , passed = 0]) => passed)),
    };
  }
}
