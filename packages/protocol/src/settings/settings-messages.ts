/** The words of the settings feed (W6, X1): the user's configuration file, and who can reach this server. */
import { z } from 'zod';

export const settingsAboutSchema = z.object({});

/** Where a value lies in the file, as keys from its top. */
const path = z.array(z.string().min(1).max(4096)).min(1).max(8);

export const settingsAskSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('read') }),
  /** The whole file, as it is to be; `was` is the text it was made from. */
  z.object({ type: z.literal('write'), text: z.string().max(512 * 1024), was: z.string().max(512 * 1024) }),
  /** One value; null takes it out. */
  z.object({ type: z.literal('set'), path, value: z.unknown() }),
  /** What agents' own files say, of a project too; from then on changes of it are pushed. */
  z.object({ type: z.literal('agents'), project: z.string().min(1).max(100).optional() }),
  z.object({ type: z.literal('revoke'), signIn: z.string().min(1).max(100) }),
]);

export const signInSchema = z.object({
  id: z.string(),
  createdAt: z.number(),
  expiresAt: z.number(),
  /** As the browser names itself, foreign text; where from; and whether by an address of ours or by the password. */
  agent: z.string(),
  address: z.string(),
  way: z.enum(['link', 'password']),
  /** This very browser. */
  isThis: z.boolean(),
});

export const settingsSchema = z.object({
  file: z.string(),
  text: z.string(),
  /** The file as it is understood; absent while it is not. */
  values: z.record(z.string(), z.unknown()).optional(),
  problem: z.string().optional(),
  /** What the command line or the environment set, stronger than the file. */
  stronger: z.array(z.string()),
  dataDirectory: z.string(),
  build: z.string(),
  exposure: z.object({
    origin: z.string(),
    host: z.string(),
    isLoopback: z.boolean(),
    hasTls: z.boolean(),
    /** A password is set: another address could be served. */
    hasPassword: z.boolean(),
    signIns: z.array(signInSchema),
  }),
});

export const settingsPushSchema = z.object({ settings: settingsSchema });

export type SettingsAsk = z.infer<typeof settingsAskSchema>;
export type Settings = z.infer<typeof settingsSchema>;
export type SignInRow = z.infer<typeof signInSchema>;
