import { describe, expect, test } from 'vitest';
import { connectionShare, descriptorLimit, limitIn, unprovenShare } from '../src/descriptor-limit.ts';

describe('X2 descriptors', () => {
  test('X2 the limit of this process is known, or taken to be high', () => {
    expect(descriptorLimit()).toBeGreaterThan(64);
    const limits = (soft: string) =>
      `Max processes             1  2  processes\nMax open files            ${soft}                 4096   files\n`;
    expect(limitIn(limits('256'))).toBe(256);
    expect(limitIn(limits('unlimited'))).toBe(Number.POSITIVE_INFINITY);
    expect(limitIn('')).toBe(Number.POSITIVE_INFINITY);
  });

  test('X2 connections that have proven nothing get a part of few, and never all', () => {
    expect(unprovenShare(128, 256)).toBe(48);
    expect(unprovenShare(128, 1024)).toBe(128);
    expect(unprovenShare(128, Number.POSITIVE_INFINITY)).toBe(128);
    expect(unprovenShare(128, 32)).toBe(8);
    expect(connectionShare(512, 2, 256)).toBe(96);
    expect(connectionShare(512, 1, 256)).toBe(192);
    expect(connectionShare(512, 2, Number.POSITIVE_INFINITY)).toBe(512);
  });
});
