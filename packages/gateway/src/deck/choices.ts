/** Small page preferences (theme, collapsed groups) by name (D13). Only pages read them. */
import { CodedError } from '@tugdeck/protocol/wire/errors';
import type { SettingTable } from '@tugdeck/store/setting-table';
import { z } from 'zod';

const SETTING = 'choices';
const MAX_CHOICES = 50;
const storedSchema = z.record(z.string(), z.string());

export class Choices {
  readonly #settings: SettingTable;

  constructor(settings: SettingTable) {
    this.#settings = settings;
  }

  all(): Record<string, string> {
    const text = this.#settings.get(SETTING);
    return text === undefined ? {} : storedSchema.parse(JSON.parse(text));
  }

  save(name: string, value: string): void {
    const next = { ...this.all(), [name]: value };
    if (Object.keys(next).length > MAX_CHOICES) throw new CodedError('TOO_MANY');
    this.#settings.set(SETTING, JSON.stringify(next));
  }
}
