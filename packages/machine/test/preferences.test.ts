import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStore } from '@tugdeck/store/store';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { isDangerousMode, Preferences, unattendedMode } from '../src/agents/preferences.ts';

let base: string;

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'tugdeck-preferences-'));
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

test('A14 a preferred mode is stored; a dangerous one needs confirmation and is not used for programs', () => {
  const store = openStore(join(base, 'tugdeck.db'));
  const preferences = new Preferences(store.settings);
  const wish = { project: 'p', agent: 'claude' } as const;
  preferences.set({ ...wish, option: 'mode', value: 'plan' });
  preferences.set({ ...wish, option: 'model', value: 'sonnet' });
  expect(preferences.get('p', 'claude')).toEqual({ mode: 'plan', model: 'sonnet' });
  expect(preferences.get('other', 'claude')).toEqual({});
  const bypass = { ...wish, option: 'mode', value: 'bypassPermissions' } as const;
  expect(() => preferences.set(bypass)).toThrowError(
    expect.objectContaining({ code: 'CONFIRMATION_NEEDED' }),
  );
  preferences.set({ ...bypass, confirmed: true });
  expect(preferences.get('p', 'claude').mode).toBe('bypassPermissions');
  preferences.set({ ...wish, option: 'mode', value: null });
  expect(preferences.get('p', 'claude')).toEqual({ model: 'sonnet' });
  expect(unattendedMode('claude', 'bypassPermissions')).toBe('default');
  expect(unattendedMode('claude', 'plan')).toBe('plan');
  expect(isDangerousMode('gemini', 'yolo')).toBe(true);
  store.close();
});
