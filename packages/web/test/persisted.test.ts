import type { Client } from '@tugdeck/client/client';
import { createCell, FrameQueue } from '@tugdeck/client/store';
import { beforeEach, describe, expect, test, vi } from 'vitest';

type Choices = Readonly<Record<string, string>> | undefined;

class MemoryStorage {
  readonly items = new Map<string, string>();
  getItem = (name: string) => this.items.get(name) ?? null;
  setItem = (name: string, value: string) => void this.items.set(name, value);
}

let storage: MemoryStorage;
beforeEach(() => {
  vi.resetModules();
  storage = new MemoryStorage();
  vi.stubGlobal('localStorage', storage);
});

/** A page with a fresh copy of the module, and a server that sends stored values. */
async function page() {
  const { persisted, shareChoices } = await import('../src/kit/persisted.ts');
  const choices = createCell<Choices>(undefined, new FrameQueue((run) => run()));
  const saved: unknown[] = [];
  const request = async (one: unknown) => void saved.push(one);
  const limited = { get: () => undefined };
  shareChoices({ choices, limited, request } as unknown as Client);
  const theme = () => persisted<string>('theme', (raw) => String(raw ?? 'system'), { isShared: true });
  return { theme, choices, saved };
}

describe('persisted preferences', () => {
  test('D13 a browser without a value starts with that of the server', async () => {
    const { theme, choices, saved } = await page();
    const cell = theme();
    expect(cell.get()).toBe('system');
    choices.set({ theme: '"dark"' });
    expect(cell.get()).toBe('dark');
    expect(storage.getItem('tugdeck.theme')).toBe('"dark"');
    expect(saved).toEqual([]);
  });

  test('D13 applies the value of the server to a part that is loaded later', async () => {
    const { theme, choices } = await page();
    choices.set({ theme: '"dark"' });
    expect(theme().get()).toBe('dark');
  });

  test('D13 a browser keeps its own value and sends it to a server without one', async () => {
    storage.setItem('tugdeck.theme', '"light"');
    const { theme, choices, saved } = await page();
    const cell = theme();
    choices.set({ theme: '"dark"' });
    expect(cell.get()).toBe('light');
    choices.set({});
    expect(saved).toEqual([{ type: 'choice.save', name: 'theme', value: '"light"' }]);
  });

  test('D13 a change is saved in both places', async () => {
    const { theme, saved } = await page();
    theme().set('light');
    expect(storage.getItem('tugdeck.theme')).toBe('"light"');
    expect(saved).toEqual([{ type: 'choice.save', name: 'theme', value: '"light"' }]);
  });

  test('D13 ignores values that are not JSON', async () => {
    const { theme, choices } = await page();
    const cell = theme();
    choices.set({ theme: 'dark' });
    expect(cell.get()).toBe('system');
  });
});
