/** The push area (N52): whether this browser is called when a session needs the user, and about what. */
import { z } from 'zod';
import { defineArea, done, nothing } from './area.ts';

const base64url = z.string().regex(/^[\w-]{16,200}$/);
const minute = z.number().int().min(0).max(1439);

/** How a browser is reached and what it wants. */
export const pushDeviceSchema = z.object({
  endpoint: z.url().max(2_000),
  keys: z.object({ p256dh: base64url, auth: base64url }),
  kinds: z.object({ needs: z.boolean(), finished: z.boolean(), failed: z.boolean() }),
  /** Nothing between these minutes of the device's day. */
  quiet: z.object({ from: minute, until: minute, timeZone: z.string().max(100) }).optional(),
  /** Short permissions are shown whole, with Allow and Deny. */
  answers: z.boolean(),
});

export const push = defineArea('push', {
  about: nothing,
  state: z.object({
    /** Of this server, for the browser's subscription. */
    key: z.string(),
    device: pushDeviceSchema.optional(),
  }),
  calls: {
    save: { input: z.object({ device: pushDeviceSchema }), output: done },
    remove: { input: nothing, output: done },
    /** Sends a message to this browser now. */
    test: { input: nothing, output: done },
  },
});

export type PushDevice = z.infer<typeof pushDeviceSchema>;
export type PushKind = keyof PushDevice['kinds'];

/** The content of a message, for the worker. */
export interface PushMessage {
  readonly title: string;
  readonly body: string;
  /** A later message about the same session replaces it. */
  readonly session?: string;
  /** Answered from the notification. */
  readonly request?: { readonly entry: string; readonly shown: string };
}
