/** Answers on a link: a value, or a coded error. */
import { errorCodeSchema } from '@tugdeck/protocol/wire/error-codes';
import { CodedError, reportOf } from '@tugdeck/protocol/wire/errors';
import { z } from 'zod';

const MAX_TEXT = 10_000;

export const errorSchema = z.object({
  code: errorCodeSchema.catch('INTERNAL_ERROR'),
  message: z.string().transform((text) => text.slice(0, MAX_TEXT)),
  hint: z
    .string()
    .transform((text) => text.slice(0, MAX_TEXT))
    .optional(),
});

export const replySchema = z.union([z.object({ error: errorSchema }), z.object({ value: z.unknown() })]);

export function errorReply(error: unknown): { readonly error: ReturnType<typeof reportOf> } {
  return { error: reportOf(error) };
}

export function codedError({ code, message, hint }: z.infer<typeof errorSchema>): CodedError {
  return new CodedError(code, message, hint);
}

export function lostError(): CodedError {
  return new CodedError(
    'HOST_UNAVAILABLE',
    'The connection to this machine was lost.',
    'Tugdeck reconnects automatically. Then check whether your last action took effect.',
  );
}
