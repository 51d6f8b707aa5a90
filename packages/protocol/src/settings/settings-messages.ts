/** Data of the settings area (W6, X1, areas/settings): the user's configuration file, and who can reach this server. */
import { z } from 'zod';

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
  /** Given when the device was paired. Earlier servers leave these out. */
  name: z.string().optional(),
  isLimited: z.boolean().optional(),
  usedAt: z.number().optional(),
});

/** A one-time link for a device (N54). */
export const pairingSchema = z.object({
  url: z.string(),
  /** To be typed on the sign-in page instead. */
  code: z.string().optional(),
  origin: z.string(),
  expiresAt: z.number(),
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
    /** A second origin, behind a proxy. */
    proxiedOrigin: z.string().optional(),
    host: z.string(),
    isLoopback: z.boolean(),
    hasTls: z.boolean(),
    /** A password is set, so that another address could be served. */
    hasPassword: z.boolean(),
    signIns: z.array(signInSchema),
  }),
});

export type Pairing = z.infer<typeof pairingSchema>;
export type Settings = z.infer<typeof settingsSchema>;
