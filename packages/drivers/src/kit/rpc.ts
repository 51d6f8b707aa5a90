/** JSON-RPC messages, parsed leniently. Shapes only; drivers interpret methods. */
import { z } from 'zod';

/** Ids may be 0 or strings; each direction has its own. */
export type RpcId = string | number | null;

export const ERROR = {
  parse: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
  authRequired: -32000,
  notFound: -32002,
  cancelled: -32800,
} as const;

const errorSchema = z.looseObject({
  code: z.number(),
  message: z.string().catch(''),
  data: z.unknown().optional(),
});
export type RpcError = z.infer<typeof errorSchema>;

export type Message =
  | { readonly type: 'request'; readonly id: RpcId; readonly method: string; readonly params: unknown }
  | { readonly type: 'notification'; readonly method: string; readonly params: unknown }
  | { readonly type: 'response'; readonly id: RpcId; readonly result: unknown; readonly error?: RpcError }
  | { readonly type: 'unrecognized'; readonly what: string };

const rpcSchema = z.looseObject({
  id: z.union([z.string(), z.number(), z.null()]).optional(),
  method: z.string().optional(),
});

export function readMessage(value: unknown): Message {
  const parsed = rpcSchema.safeParse(value);
  if (!parsed.success) return { type: 'unrecognized', what: 'message that is not JSON-RPC' };
  const { id, method, params, result, error } = parsed.data;
  if (method !== undefined) {
    return id === undefined
      ? { type: 'notification', method, params }
      : { type: 'request', id, method, params };
  }
  if (id !== undefined && ('result' in parsed.data || 'error' in parsed.data)) {
    if (error === undefined || error === null) return { type: 'response', id, result };
    const read = errorSchema.safeParse(error);
    const fault = read.success ? read.data : { code: ERROR.internal, message: JSON.stringify(error) };
    return { type: 'response', id, result: undefined, error: fault };
  }
  return { type: 'unrecognized', what: 'message that is not JSON-RPC' };
}

/** 0 and "0" are different ids. */
export function idKey(id: RpcId): string {
  return JSON.stringify(id);
}
