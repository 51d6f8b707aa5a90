import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { expireSignInPages, removeSignInPages, writeSignInPage } from '../src/sign-in-page.ts';

const URL = 'http://127.0.0.1:7700/in/T0K-en_';
const LIFETIME = 600_000;

let run: string;
beforeEach(() => {
  run = mkdtempSync(join(tmpdir(), 'ts-'));
});
afterEach(() => {
  vi.useRealTimers();
  rmSync(run, { recursive: true, force: true });
});

test('X9 the page is private, and its name reveals nothing', () => {
  const old = process.umask(0);
  const page = writeSignInPage(join(run, 'made'), URL);
  process.umask(old);
  expect(page).not.toContain('T0K');
  expect(statSync(page).mode & 0o777).toBe(0o600);
  expect(statSync(join(run, 'made')).mode & 0o777).toBe(0o700);
  const text = readFileSync(page, 'utf8');
  expect(text).toContain(`content="0;url=${URL}"`);
  expect(text).toContain(`href="${URL}"`);
  expect(text).toContain('content="no-referrer"');
  expect(text).not.toMatch(/src=|<script|<link|<img/);
  expect(readdirSync(join(run, 'made'))).toHaveLength(1);
});

test('X9 escapes the address in the attribute', () => {
  const text = readFileSync(writeSignInPage(run, `${URL}?"><script>alert('1')</script>`), 'utf8');
  expect(text).not.toContain('<script');
  expect(text.match(/"/g)?.length).toBe(readFileSync(writeSignInPage(run, URL), 'utf8').match(/"/g)?.length);
});

test('X9 removes pages at start, after their address expires, and at the end', () => {
  writeFileSync(join(run, 'server.lock'), '');
  const left = writeSignInPage(run, URL);
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const pages = expireSignInPages(run, LIFETIME);
  expect(existsSync(left)).toBe(false);
  const [old, fresh] = [writeSignInPage(run, URL), writeSignInPage(run, URL)];
  pages.issued();
  const past = Date.now() / 1000 - LIFETIME / 1000;
  utimesSync(old, past, past);
  vi.advanceTimersByTime(LIFETIME + 1_000);
  expect([existsSync(old), existsSync(fresh)]).toEqual([false, true]);
  utimesSync(fresh, past, past);
  vi.advanceTimersByTime(LIFETIME + 1_000);
  expect(existsSync(fresh)).toBe(false);
  const last = writeSignInPage(run, URL);
  pages.close();
  expect(existsSync(last)).toBe(false);
  expect(vi.getTimerCount()).toBe(0);
  expect(readdirSync(run)).toEqual(['server.lock']);
  expect(() => removeSignInPages(join(run, 'none'))).not.toThrow();
});
