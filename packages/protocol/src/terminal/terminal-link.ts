/**
 * TerminalLink: the protocol between server and terminal host on a local socket. A link is for the list of terminals
 * or for one page's view of one terminal, so that a flood in one terminal cannot block another. Frames: u32
 * big-endian length, u8 kind, payload; JSON or raw bytes.
 */
import { z } from 'zod';
import { errorCodeSchema } from '../wire/error-codes.ts';
import {
  ackSchema,
  nameSchema,
  sizeSchema,
  terminalColorsSchema,
  terminalRunsSchema,
  terminalSchema,
} from './terminal.ts';
import { terminalPushSchema } from './terminal-feed.ts';

export const TERMINAL_LINK_VERSION = 1;
export const TERMINAL_LINK_OLDEST = 1;

const id = z.string().min(1).max(100);
const re = z.number().int().nonnegative();

export const launchSchema = z.object({
  file: z.string().min(1).max(4096),
  args: z.array(z.string().max(64 * 1024)).max(100),
  directory: z.string().min(1).max(4096),
  environment: z.record(z.string(), z.string()),
});
export type TerminalLaunch = z.infer<typeof launchSchema>;

export const terminalRequestSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('init'), version: z.number().int(), secret: z.string().max(200) }),
  /** Sends the list now and after every change. */
  z.object({ type: z.literal('watch') }),
  z.object({
    type: z.literal('create'),
    re,
    terminal: id,
    project: id,
    name: nameSchema.optional(),
    runs: terminalRunsSchema,
    size: sizeSchema,
    launch: launchSchema,
  }),
  z.object({ type: z.literal('rename'), re, terminal: id, name: z.union([nameSchema, z.null()]) }),
  z.object({ type: z.literal('close'), re, terminal: id }),
  z.object({ type: z.literal('restart'), re, terminal: id, launch: launchSchema }),
  z.object({
    type: z.literal('attach'),
    re,
    terminal: id,
    history: z.boolean(),
    colors: terminalColorsSchema.optional(),
  }),
  z.object({ type: z.literal('resize'), size: sizeSchema }),
  ackSchema,
  /** Sends a hangup to every program, then exits. */
  z.object({ type: z.literal('end') }),
]);
export type TerminalRequest = z.infer<typeof terminalRequestSchema>;
export type TerminalRequestInput = z.input<typeof terminalRequestSchema>;

export const terminalMessageSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ready'), version: z.number().int() }),
  z.object({ type: z.literal('done'), re, terminal: terminalSchema.optional() }),
  z.object({
    type: z.literal('error'),
    re: re.optional(),
    code: errorCodeSchema,
    message: z.string(),
    hint: z.string().optional(),
  }),
  ...terminalPushSchema.options,
]);
export type TerminalMessage = z.infer<typeof terminalMessageSchema>;
