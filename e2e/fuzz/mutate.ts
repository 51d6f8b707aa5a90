/**
 * Mutates valid input: replaces a JSON value by another kind, removes, doubles or renames a key (also to a prototype's),
 * or cuts, flips and repeats bytes.
 */
import { below, pick, type Random } from './random.ts';

const VALUES: readonly (() => unknown)[] = [
  () => null,
  () => true,
  () => 0,
  () => -1,
  () => 1e308,
  () => -0.5,
  () => 2 ** 53,
  () => '',
  () => 'x',
  () => '\u0000\u202e\ud800',
  () => 'y'.repeat(5_000),
  () => '__proto__',
  () => [],
  () => [null, {}, []],
  () => ({}),
  () => ({ id: 1, type: [], text: {} }),
  () => nested(40),
];
const KEYS = ['__proto__', 'constructor', 'prototype', 'toString', 'id', 'type', '', 'length'];
const BYTES = ['\n', '"', '{', '}', '\\', '\u0000', '\ufffd', '[', ',', '\\u', 'é', '\u2028'];

function nested(depth: number): unknown {
  let value: unknown = 'deep';
  for (let at = 0; at < depth; at++) value = at % 2 === 0 ? [value] : { a: value };
  return value;
}

export function mutate(random: Random, line: string): string {
  if (random() < 0.25) return mutateText(random, line);
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return mutateText(random, line);
  }
  const changes = 1 + below(random, 3);
  for (let at = 0; at < changes; at++) value = mutateValue(random, value, 0);
  return JSON.stringify(value) ?? 'null';
}

/** Descends at random and mutates the value there. */
function mutateValue(random: Random, value: unknown, depth: number): unknown {
  const goesDown = typeof value === 'object' && value !== null && depth < 12 && random() < 0.85;
  if (!goesDown) return pick(random, VALUES)?.();
  if (Array.isArray(value)) {
    const copy: unknown[] = [...value];
    const at = below(random, Math.max(1, copy.length));
    const choice = random();
    if (choice < 0.15) copy.splice(at, 1);
    else if (choice < 0.3) copy.push(copy[at]);
    else copy[at] = mutateValue(random, copy[at], depth + 1);
    return copy;
  }
  const keys = Object.keys(value);
  const key = pick(random, keys);
  const copy: Record<string, unknown> = { ...value };
  const choice = random();
  if (key === undefined || choice < 0.1) {
    const name = pick(random, KEYS) ?? '';
    // As JSON.parse would: an own property, whatever its name.
    Object.defineProperty(copy, name, {
      value: pick(random, VALUES)?.(),
      enumerable: true,
      configurable: true,
      writable: true,
    });
  } else if (choice < 0.25) delete copy[key];
  else copy[key] = mutateValue(random, copy[key], depth + 1);
  return copy;
}

function mutateText(random: Random, text: string): string {
  const from = below(random, text.length + 1);
  const to = Math.min(text.length, from + below(random, 40));
  const choice = random();
  if (choice < 0.25) return text.slice(0, from);
  if (choice < 0.5) return text.slice(0, from) + text.slice(to);
  if (choice < 0.65) return text.slice(0, to) + text.slice(from);
  if (choice < 0.9) return text.slice(0, from) + (pick(random, BYTES) ?? '') + text.slice(from);
  return text.slice(0, from) + String.fromCharCode(below(random, 0x10000)) + text.slice(from + 1);
}
