/**
 * The keys that a user chose, by the name of what they do: a key as text ("Mod+Shift+F"), or null for none. What is
 * not named has its usual key. The same form on the wire and in `keys.json`.
 */
import { z } from 'zod';

export const keyChoicesSchema = z
  .record(z.string().min(1).max(100), z.string().min(1).max(50).nullable())
  .refine((choices) => Object.keys(choices).length <= 300, 'more than 300 keys');

export type KeyChoices = z.infer<typeof keyChoicesSchema>;
