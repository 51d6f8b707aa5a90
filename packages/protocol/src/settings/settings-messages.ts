/** Messages of the settings feed (W6, X1): the user's configuration file, and who can reach this server. */
import { z } from 'zod';

export const settingsAboutSchema = z.object({});

/** Keys from the top of the file to a value. */
const path = z.array(z.string().min(1).max(4096)).min(1).max(8);

export const settingsAskSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('read') }),
  /** The whole new file; `was` is the text it was edited from. */
  z.object({ type: z.literal('write'), text: z.string().max(512 * 1024), was: z.string().max(512 * 1024) }),
  /** Sets one value; null removes it. */
  z.object({ type: z.literal('set'), path, value: z.unknown() }),
  /** Contents of the agents' own files, optionally of a project; later changes are pushed. */
  z.object({ type: z.literal('agents'), project: z.string().min(1).max(100).optional() }),
  z.object({ type: z.literal('revoke'), signIn: z.string().min(1).max(100) }),
]);

export const signInSchema = z.object({
  id: z.string(),
  createdAt: z.number(),
  expiresAt: z.number(),
  /** The browser's own name (untrusted), its address, and how it signed in. */
  agent: z.string(),
  address: z.string(),
  way: z.enum(['link', 'password']),
  /** This browser. */
  isThis: z.boolean(),
});

export const settingsSchema = z.object({
  file: z.string(),
  text: z.string(),
  /** The parsed file; undefined if it is invalid. */
  values: z.record(z.string(), z.unknown()).optional(),
  problem: z.string().optional(),
  /** Settings that the command line or the environment overrides. */
  stronger: z.array(z.string()),
  dataDirectory: z.string(),
  build: z.string(),
  exposure: z.object({
    origin: z.string(),
    host: z.string(),
    isLoopback: z.boolean(),
    hasTls: z.boolean(),
    /** A password is set, so that another address could be served. */
    hasPassword: z.boolean(),
    signIns: z.array(signInSchema),
  }),
});

export const settingsPushSchema = z.object({ settings: settingsSchema });

export type SettingsAsk = z.infer<typeof settingsAskSchema>;
export type Settings = z.infer<typeof settingsSchema>;
export type SignInRow = z.infer<typeof signInSchema>;
