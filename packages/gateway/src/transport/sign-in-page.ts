/**
 * `/sign-in` (X1): a password form without scripts, only if other machines can reach the server. Other sites cannot
 * submit it, because the origin is checked first. The typed password is never echoed.
 */
import { ADVICE } from '@tugdeck/protocol/wire/error-advice';
import type { ErrorCode } from '@tugdeck/protocol/wire/error-codes';
import { CodedError, ERRORS } from '@tugdeck/protocol/wire/errors';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Door } from './door.ts';
import { MAX_PASSWORD, verifyPassword } from './password.ts';
import { plainPage } from './plain-page.ts';
import type { Throttle } from './throttle.ts';

export const PASSWORD_PATH = '/sign-in';
/** Public routes. */
export const PASSWORD_ROUTES: readonly string[] = [PASSWORD_PATH];

export interface PasswordSignIn {
  /** File with the password hash. */
  readonly file: string;
  readonly throttle: Throttle;
}

/** Queued password checks; each one needs memory. */
const MAX_WAITING = 8;

export function servePasswordSignIn(
  app: FastifyInstance,
  { file, throttle }: PasswordSignIn,
  doorOf: (request: FastifyRequest) => Door,
): void {
  let last: Promise<unknown> = Promise.resolve();
  let waiting = 0;

  /** One check at a time. */
  async function check(typed: string): Promise<boolean> {
    waiting += 1;
    const mine = last.then(() => verifyPassword(file, typed));
    last = mine.catch(() => undefined);
    try {
      return await mine;
    } finally {
      waiting -= 1;
    }
  }

  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: 4 * MAX_PASSWORD },
    (_request, body, done) => done(null, body),
  );

  /** The door, if it takes the password; elsewhere the form does not exist. */
  function passwordDoor(request: FastifyRequest): Door {
    const door = doorOf(request);
    if (!door.takesPassword) throw new CodedError('NOT_FOUND');
    return door;
  }

  app.get(PASSWORD_PATH, (request, reply) => {
    passwordDoor(request);
    return sendForm(reply, 200);
  });

  app.post(PASSWORD_PATH, async (request, reply) => {
    const { authenticator } = passwordDoor(request);
    const typed = passwordIn(request.body);
    if (typed === undefined) return sendForm(reply, 400, 'PASSWORD_WRONG');
    const wait = waiting >= MAX_WAITING ? 1_000 : throttle.attempt(request.ip);
    if (wait > 0) return tooManyAttempts(reply, wait);
    const paired = authenticator.redeemCode(typed);
    if (paired === undefined && !(await check(typed))) return sendForm(reply, 401, 'PASSWORD_WRONG');
    throttle.reset(request.ip);
    // Continue like any other sign-in.
    return reply
      .header('cache-control', 'no-store')
      .redirect(`/in/${paired ?? authenticator.issueToken({ way: 'password' })}`, 303);
  });
}

function passwordIn(body: unknown): string | undefined {
  if (typeof body !== 'string') throw new CodedError('INVALID_MESSAGE');
  const typed = new URLSearchParams(body).get('password') ?? '';
  return typed === '' || typed.length > MAX_PASSWORD ? undefined : typed;
}

function tooManyAttempts(reply: FastifyReply, wait: number) {
  const seconds = Math.ceil(wait / 1000);
  reply.header('retry-after', String(seconds));
  const when = seconds < 90 ? `${seconds} s` : `${Math.ceil(seconds / 60)} min`;
  return sendForm(reply, 429, 'TOO_MANY', `Too many attempts. Try again in ${when}.`);
}

function sendForm(reply: FastifyReply, status: number, code?: ErrorCode, message?: string) {
  const fault =
    code === undefined
      ? ''
      : `<p role="alert" data-code="${code}">${message ?? `${ERRORS[code].text} ${ADVICE[code]}`}</p>`;
  return (
    reply
      .status(status)
      .type('text/html; charset=utf-8')
      .header('cache-control', 'no-store')
      // With the default policy, browsers would send `Origin: null` with the form.
      .header('referrer-policy', 'same-origin')
      .send(formPage(fault))
  );
}

function formPage(fault: string): string {
  return plainPage({
    title: 'Sign in',
    body: `<p>Tugdeck runs on another machine. Enter the password that was set there, or a pairing code.</p>
<form method="post" action="${PASSWORD_PATH}">
<label for="password">Password or pairing code</label>
<input id="password" name="password" type="password" autocomplete="current-password" maxlength="${MAX_PASSWORD}" required autofocus>
${fault}
<button>Sign in</button>
</form>
<p>Or open a sign-in link. This command on the machine itself prints one:</p>`,
    command: 'tugdeck url',
    isScriptless: true,
  });
}
