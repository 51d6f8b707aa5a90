/** How long the server's event loop was blocked in a period of time, measured by a monitor inside it. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Product } from '../kit/product.ts';

const MONITOR = fileURLToPath(new URL('loop-monitor.cjs', import.meta.url));

export interface Blocks {
  /** The longest block, without time spent waiting for a core. */
  readonly blocked: number;
  /** The longest block in wall-clock time, which a busy machine extends. */
  readonly passed: number;
}

export class LoopBlocks {
  readonly #file: string;
  /** Environment variables for starting the product. */
  readonly environment: Readonly<Record<string, string>>;

  constructor(product: Product) {
    this.#file = join(product.sandbox.root, 'loop');
    this.environment = {
      NODE_OPTIONS: `--require ${MONITOR}`,
      TUGDECK_LOOP_FILE: this.#file,
      TUGDECK_LOOP_AFTER: join(product.data.ledger, 'server.json'),
    };
  }

  /** Between two values of `Date.now`. */
  longest(from: number, to: number): Blocks {
    const noted = existsSync(this.#file) ? readFileSync(this.#file, 'utf8').trimEnd().split('\n') : [];
    const blocks = noted
      .map((line) => line.split(' ').map(Number))
      .filter(([at = 0]) => at >= from && at <= to);
    return {
      blocked: Math.max(0, ...blocks.map(([, blocked = 0]) => blocked)),
      passed: Math.max(0, ...blocks.map(([, , passed = 0]) => passed)),
    };
  }
}
