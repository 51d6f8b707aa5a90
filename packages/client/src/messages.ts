/**
 * Encodes and decodes messages on the socket. Incoming messages pass the protocol's schemas; invalid ones are
 * reported with a reason, never thrown. Used by the connection only.
 */
import { parseJson } from '@tugdeck/protocol/parse-json';
import { type DeckMessage, type DeckRequest, deckMessageSchema } from '@tugdeck/protocol/wire/deck';
import {
  FEED_BYTES,
  type FeedAsk,
  type FeedMessage,
  feedByte,
  feedMessageSchema,
} from '@tugdeck/protocol/wire/feeds';
import { decodeFrame, encodeFrame, FEED } from '@tugdeck/protocol/wire/frames';
import { type HostMessage, type HostRequestInput, hostMessageSchema } from '@tugdeck/protocol/wire/host-link';

export type IncomingMessage =
  | { readonly feed: 'deck'; readonly message: DeckMessage }
  | {
      readonly feed: 'conversation';
      readonly channel: number;
      readonly messages: readonly HostMessage[];
      /** Reasons for the messages that could not be parsed, in order. */
      readonly broken: readonly string[];
    }
  | { readonly feed: 'area'; readonly channel: number; readonly message: FeedMessage }
  | { readonly feed: 'bytes'; readonly channel: number; readonly data: Uint8Array }
  | { readonly feed: 'broken'; readonly why: string }
  /** A feed of a newer server. */
  | { readonly feed: 'unknown' };

export function decodeMessage(data: unknown): IncomingMessage {
  const frame = data instanceof ArrayBuffer ? decodeFrame(new Uint8Array(data)) : undefined;
  if (!frame) return { feed: 'broken', why: 'not a frame' };
  switch (frame.feed) {
    case FEED.deck: {
      const parsed = deckMessageSchema.safeParse(decodeJson(frame.payload));
      if (parsed.success) return { feed: 'deck', message: parsed.data };
      return { feed: 'broken', why: `deck: ${reason(parsed.error)}` };
    }
    case FEED.conversationOut:
      return decodeConversation(frame.channel, decodeJson(frame.payload));
    case FEED.terminalOut:
      return { feed: 'bytes', channel: frame.channel, data: frame.payload };
    default:
      return FEED_BYTES.has(frame.feed) ? decodeArea(frame.channel, frame.payload) : { feed: 'unknown' };
  }
}

function decodeArea(channel: number, payload: Uint8Array): IncomingMessage {
  const parsed = feedMessageSchema.safeParse(decodeJson(payload));
  if (parsed.success) return { feed: 'area', channel, message: parsed.data };
  return { feed: 'broken', why: `feed: ${reason(parsed.error)}` };
}

function decodeConversation(channel: number, value: unknown): IncomingMessage {
  const messages: HostMessage[] = [];
  const broken: string[] = [];
  if (!Array.isArray(value)) broken.push('conversation: not an array of messages');
  else {
    for (const item of value) {
      const parsed = hostMessageSchema.safeParse(item);
      if (parsed.success) messages.push(parsed.data);
      else broken.push(`conversation: ${reason(parsed.error)}`);
    }
  }
  return { feed: 'conversation', channel, messages, broken };
}

export function encodeDeckRequest(request: DeckRequest): Uint8Array<ArrayBuffer> {
  return encodeFrame(FEED.deck, 0, jsonBytes(request));
}

export function encodeHostRequest(channel: number, request: HostRequestInput): Uint8Array<ArrayBuffer> {
  return encodeFrame(FEED.conversationIn, channel, jsonBytes(request));
}

export function encodeFeedRequest(name: string, channel: number, request: FeedAsk): Uint8Array<ArrayBuffer> {
  return encodeFrame(feedByte(name), channel, jsonBytes(request));
}

export function encodeTerminalInput(channel: number, data: Uint8Array): Uint8Array<ArrayBuffer> {
  return encodeFrame(FEED.terminalIn, channel, data);
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

function jsonBytes(value: unknown): Uint8Array {
  return encoder.encode(JSON.stringify(value));
}

function decodeJson(bytes: Uint8Array): unknown {
  try {
    return parseJson(decoder.decode(bytes));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function reason(error: {
  readonly issues: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[];
}): string {
  const issue = error.issues[0];
  return issue ? `${issue.path.map(String).join('.')}: ${issue.message}` : 'not understood';
}
