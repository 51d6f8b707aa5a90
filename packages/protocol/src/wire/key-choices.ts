/**
 * The user's key bindings by action: a key as text ("Mod+Shift+F"), or null for none. Actions not named have their
 * default key. Same format on the wire and in `keys.json`.
 */
import { z } from 'zod';

export const keyChoicesSchema = z
  .record(z.string().min(1).max(100), z.string().min(1).max(50).nullable())
  .refine((choices) => Object.keys(choices).length <= 300, 'more than 300 keys');

export type KeyChoices = z.infer<typeof keyChoicesSchema>;
