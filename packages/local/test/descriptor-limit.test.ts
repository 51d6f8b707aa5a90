import { describe, expect, test } from 'vitest';
import {
  connectionShare,
  descriptorLimit,
  parseLimit,
  unauthenticatedShare,
} from '../src/descriptor-limit.ts';

describe('X2 descriptors', () => {
  test('X2 reads the limit of this process, or assumes a high one', () => {
    expect(descriptorLimit()).toBeGreaterThan(64);
    const limits = (soft: string) =>
      `Max processes             1  2  processes\nMax open files            ${soft}                 4096   files\n`;
    expect(parseLimit(limits('256'))).toBe(256);
    expect(parseLimit(limits('unlimited'))).toBe(Number.POSITIVE_INFINITY);
    expect(parseLimit('')).toBe(Number.POSITIVE_INFINITY);
  });

  test('X2 unauthenticated connections get a share of the descriptors, never all of them', () => {
    expect(unauthenticatedShare(128, 256)).toBe(48);
    expect(unauthenticatedShare(128, 1024)).toBe(128);
    expect(unauthenticatedShare(128, Number.POSITIVE_INFINITY)).toBe(128);
    expect(unauthenticatedShare(128, 32)).toBe(8);
    expect(connectionShare(512, 2, 256)).toBe(96);
    expect(connectionShare(512, 1, 256)).toBe(192);
    expect(connectionShare(512, 2, Number.POSITIVE_INFINITY)).toBe(512);
  });
});
