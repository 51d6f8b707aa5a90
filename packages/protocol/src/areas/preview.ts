/**
 * The preview area (W7): a web server of a project, shown in a frame of the page through the gateway's proxy. A preview
 * ends with the channel that opened it.
 */
import { z } from 'zod';
import { defineArea, done, nothing } from './area.ts';

const id = z.string().min(1).max(100);
const port = z.number().int().min(1).max(65_535);
const address = z.string().min(1).max(2_000);
const side = z.number().int().min(200).max(4_000);

/** The process that listens on a port. */
export const portHolderSchema = z.object({
  /** Names this process and its socket; sent back to accept it. */
  key: z.string(),
  /** Unknown for a process of another user. */
  pid: z.number().int().optional(),
  name: z.string().optional(),
  directory: z.string().optional(),
  /** It runs in the project's directory, or was started by a session there. */
  isOwn: z.boolean(),
});
export type PortHolder = z.infer<typeof portHolderSchema>;

const heldSchema = z.object({ type: z.literal('held'), port, holder: portHolderSchema });

export const preview = defineArea('preview', {
  about: z.object({ project: id }),
  state: z.object({
    /** False where the proxy's address can't be reached: a deck with another address than loopback. */
    isOffered: z.boolean(),
    /** Whether a browser is installed that can take a picture. */
    hasBrowser: z.boolean(),
  }),
  events: z.discriminatedUnion('type', [
    /** Another process now holds the port; nothing is forwarded until it is accepted. */
    heldSchema,
    /** The server redirected to an address that the frame can't show. */
    z.object({ type: z.literal('redirected'), port, address: z.string() }),
  ]),
  calls: {
    /** Ports on which processes of the project listen. */
    ports: { input: nothing, output: z.object({ ports: z.array(z.object({ port, name: z.string() })) }) },
    /** `accepted`: the key of a holder that the user has seen. */
    open: {
      input: z.object({ address, accepted: z.string().max(200).optional() }),
      output: z.discriminatedUnion('type', [
        heldSchema,
        z.object({
          type: z.literal('open'),
          /** Signs the frame in; works once. */
          url: z.string(),
          /** The frame's origin. */
          origin: z.string(),
        }),
      ]),
    },
    /** For the deck of another machine, which has its own proxy: the checks of `open`. */
    check: {
      input: z.object({ address, accepted: z.string().max(200).optional() }),
      output: z.discriminatedUnion('type', [heldSchema, z.object({ type: z.literal('own') })]),
    },
    /** Ends the preview of a port that this channel opened. */
    end: { input: z.object({ port }), output: done },
    /** A PNG image of the address as a browser on the machine draws it, in base64. */
    screenshot: {
      input: z.object({ address, width: side, height: side, accepted: z.string().max(200).optional() }),
      output: z.object({ png: z.string() }),
    },
  },
});

/** One connection of another machine's proxy to a web server here. Bytes pass once `connect` succeeded. */
export const previewConnection = defineArea('preview-connection', {
  about: z.object({ project: id, address, accepted: z.string().max(200).optional() }),
  bytes: true,
  events: z.discriminatedUnion('type', [
    /** The server took this many bytes, so that as many can be sent. */
    z.object({ type: z.literal('taken'), bytes: z.number().int().positive() }),
    /** The server sends no more. */
    z.object({ type: z.literal('ended') }),
    /** The connection broke. */
    z.object({ type: z.literal('broken') }),
  ]),
  calls: {
    connect: { input: nothing, output: done },
    /** Nothing more will be sent to the server. */
    end: { input: nothing, output: done },
  },
});
