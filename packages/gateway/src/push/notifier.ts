/**
 * Calls the user's devices (N52): once for each event over all of them, the one used last first, and not for what is in
 * sight. Follows the deck only while a device wants messages.
 */
import { randomUUID } from 'node:crypto';
import type { Log } from '@tugdeck/local/log';
import type { Channel, DeckPush, Machine } from '@tugdeck/machine/port';
import type { PushAccess } from '@tugdeck/machine/push-access';
import type { PushDevice, PushKind, PushMessage } from '@tugdeck/protocol/areas/push';
import { visibleText } from '@tugdeck/protocol/visible-text';
import type { SessionRow } from '@tugdeck/protocol/wire/deck';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import type { SettingTable } from '@tugdeck/store/setting-table';
import type { SignInTable } from '@tugdeck/store/sign-in-table';
import { type KnownDevice, PushDevices } from './devices.ts';
import { encryptPush } from './encrypt.ts';
import { eventOf, isCurrent, isQuiet, type PushEvent } from './events.ts';
import { answerRequest, type ShortRequest, shortRequest } from './open-request.ts';
import { checkEndpoint, sendPush } from './push-service.ts';
import { openVapid, type Vapid } from './vapid.ts';

export interface NotifierOptions {
  readonly machine: Pick<Machine, 'openDeck' | 'openChannel'>;
  readonly settings: SettingTable;
  readonly signIns: SignInTable;
  /** A page in front shows the session. */
  readonly isInSight: (session: string) => boolean;
  /** Push services at private addresses are allowed, for tests. */
  readonly isAnywhere: () => boolean;
  readonly log: Log;
  readonly now: () => number;
  /** An event that is over by then is not sent. */
  readonly graceMs?: number;
}

export interface AnswerFromNotification {
  readonly session: string;
  readonly entry: string;
  readonly shown: string;
  readonly behavior: 'allow' | 'deny';
}

const GRACE_MS = 1_500;
/** A notification that just appeared may be pressed by mistake. */
const MIN_AGE_MS = 1_000;
const MAX_AGE_MS = 3600_000;
const MAX_TRIES = 3;
const MAX_SENT = 1_000;
const WORDS: Readonly<Record<PushKind, string>> = {
  needs: 'Needs you',
  finished: 'Finished',
  failed: 'Failed',
};

export class Notifier implements PushAccess {
  readonly #options: NotifierOptions;
  readonly #devices: PushDevices;
  readonly #rows = new Map<string, SessionRow>();
  readonly #projects = new Map<string, string>();
  readonly #timers = new Set<NodeJS.Timeout>();
  /** Marks of events. */
  readonly #sent = new Set<string>();
  /** Requests that a notification offers to answer, by sign-in and entry. */
  readonly #offered = new Map<
    string,
    { readonly shown: string; readonly session: string; readonly at: number }
  >();
  /** Push services that asked us to wait. */
  readonly #waitUntil = new Map<string, number>();
  #vapid: Vapid | undefined;
  /** Events that are being sent. */
  #open = 0;
  readonly #idle = new Set<() => void>();
  #deck: Channel | undefined;
  #isComplete = false;
  #isClosed = false;

  constructor(options: NotifierOptions) {
    this.#options = options;
    this.#devices = new PushDevices(options.settings, options.signIns, options.now);
    this.#follow();
  }

  get key(): string {
    return this.#ownKey().publicKey;
  }

  device(signIn: string): PushDevice | undefined {
    return this.#devices.get(signIn);
  }

  save(signIn: string, device: PushDevice): void {
    checkEndpoint(device.endpoint, this.#options.isAnywhere());
    try {
      encryptPush(device.keys, '');
    } catch {
      throw new CodedError('INVALID_MESSAGE', 'The browser’s key is not valid.');
    }
    this.#devices.save(signIn, device);
    this.#follow();
  }

  remove(signIn: string): void {
    this.#devices.remove(signIn);
    this.#follow();
  }

  async test(signIn: string): Promise<void> {
    const device = this.#devices.get(signIn);
    if (!device) throw new CodedError('NOT_FOUND', 'Notifications are off on this device.');
    const message = { title: 'Tugdeck', body: 'Notifications work on this device' };
    const { result, ...rest } = await this.#send({ signIn, device }, message, 'test', false);
    if (result === 'sent') return;
    const why = 'why' in rest ? rest.why : result === 'later' ? 'it asked to wait' : 'the subscription ended';
    throw new CodedError('HOST_UNAVAILABLE', `The push service didn’t accept the message: ${why}`);
  }

  /** The press of a button in a notification. */
  async answer(signIn: string, { session, entry, shown, behavior }: AnswerFromNotification): Promise<void> {
    const key = `${signIn} ${entry}`;
    const offered = this.#offered.get(key);
    const age = this.#options.now() - (offered?.at ?? 0);
    if (offered?.shown !== shown || offered.session !== session || age > MAX_AGE_MS)
      throw new CodedError('NOT_FOUND', 'This request was not offered here.');
    if (age < MIN_AGE_MS) throw new CodedError('INVALID_MESSAGE', 'Pressed too soon. Open the request.');
    if (!this.#devices.get(signIn)?.answers)
      throw new CodedError('DEVICE_LIMITED', 'Answers in notifications are off on this device.');
    this.#offered.delete(key);
    await answerRequest(this.#options.machine, session, { id: randomUUID(), entry, shown, behavior });
  }

  /** Resolves once everything new was sent or dropped; retries are not waited for. */
  idle(): Promise<void> {
    return new Promise((done) => {
      if (this.#open === 0) done();
      else this.#idle.add(done);
    });
  }

  #settled(): void {
    this.#open--;
    if (this.#open > 0) return;
    for (const done of this.#idle) done();
    this.#idle.clear();
  }

  close(): void {
    this.#isClosed = true;
    for (const timer of this.#timers) clearTimeout(timer);
    this.#deck?.close();
  }

  #ownKey(): Vapid {
    this.#vapid ??= openVapid(this.#options.settings);
    return this.#vapid;
  }

  #follow(): void {
    const isWanted = this.#devices.all().length > 0;
    if (isWanted === (this.#deck !== undefined)) return;
    this.#deck?.close();
    this.#rows.clear();
    this.#isComplete = false;
    this.#deck = isWanted ? this.#options.machine.openDeck((push) => this.#pushed(push)) : undefined;
  }

  #pushed(push: DeckPush): void {
    if (push.type === 'show') return;
    if (push.type === 'session') {
      this.#row(push.row);
      return;
    }
    if (push.type === 'rows') {
      for (const row of push.rows) this.#row(row);
      for (const id of push.gone ?? []) this.#rows.delete(id);
      if (push.more === false) this.#isComplete = true;
      return;
    }
    for (const { id, name } of push.deck.projects) this.#projects.set(id, name);
    if (push.type !== 'whole') return;
    // Requests that waited before are not sent.
    for (const row of push.deck.sessions) this.#rows.set(row.id, row);
    this.#isComplete = push.deck.more !== true;
  }

  #row(row: SessionRow): void {
    const before = this.#rows.get(row.id);
    this.#rows.set(row.id, row);
    const event = before || this.#isComplete ? eventOf(before, row) : undefined;
    if (!event || this.#sent.has(event.mark)) return;
    this.#sent.add(event.mark);
    for (const mark of this.#sent) {
      if (this.#sent.size <= MAX_SENT) break;
      this.#sent.delete(mark);
    }
    this.#later(event, this.#options.graceMs ?? GRACE_MS, 1);
  }

  #later(event: PushEvent, ms: number, attempt: number): void {
    if (attempt === 1) this.#open++;
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      if (attempt > 1) this.#open++;
      this.#deliver(event, attempt)
        .catch((error: unknown) => this.#options.log.error('push', { error }))
        .finally(() => this.#settled());
    }, ms);
    timer.unref();
    this.#timers.add(timer);
  }

  async #deliver(event: PushEvent, attempt: number): Promise<void> {
    const { isInSight, now } = this.#options;
    const row = this.#rows.get(event.session);
    if (!row || !isCurrent(event, row) || isInSight(event.session)) return;
    const wanting = this.#devices
      .all()
      .filter(({ device }) => device.kinds[event.kind] && !isQuiet(device, now()));
    const short = await this.#shortRequest(event, wanting);
    let waitMs: number | undefined;
    for (const known of wanting) {
      if (this.#isClosed) return;
      const left = (this.#waitUntil.get(known.device.endpoint) ?? 0) - now();
      const offer = known.device.answers ? short : undefined;
      const sent: Awaited<ReturnType<typeof sendPush>> =
        left > 0
          ? { result: 'later', afterMs: left }
          : await this.#send(
              known,
              this.#messageOf(event, row, offer),
              event.session,
              event.kind === 'needs',
            );
      if (sent.result === 'sent') {
        if (offer)
          this.#offered.set(`${known.signIn} ${offer.entry}`, {
            ...{ shown: offer.shown, session: event.session },
            at: now(),
          });
        return;
      }
      if (sent.result === 'later') waitMs = Math.min(waitMs ?? Number.POSITIVE_INFINITY, sent.afterMs);
    }
    if (waitMs !== undefined && attempt < MAX_TRIES) this.#later(event, waitMs, attempt + 1);
  }

  async #shortRequest({ kind, session }: PushEvent, wanting: readonly KnownDevice[]) {
    if (kind !== 'needs' || !wanting.some(({ device }) => device.answers)) return undefined;
    try {
      return await shortRequest(this.#options.machine, session);
    } catch (error) {
      this.#options.log.warn('push: request not read', { error });
      return undefined;
    }
  }

  #messageOf({ kind, session }: PushEvent, row: SessionRow, short: ShortRequest | undefined): PushMessage {
    const title = visibleText(this.#projects.get(row.project) ?? 'Tugdeck').slice(0, 100);
    if (!short) return { title, body: WORDS[kind], session };
    return { title, body: short.text, session, request: { entry: short.entry, shown: short.shown } };
  }

  async #send({ signIn, device }: KnownDevice, message: PushMessage, topic: string, isUrgent: boolean) {
    const { now, isAnywhere, log } = this.#options;
    const { endpoint, keys } = device;
    const sent = await sendPush(
      {
        endpoint,
        body: encryptPush(keys, JSON.stringify(message)),
        authorization: this.#ownKey().authorize(endpoint, now()),
        isUrgent,
        // At most 32 letters.
        topic: topic.replaceAll('-', '').slice(0, 32),
      },
      isAnywhere(),
    );
    if (sent.result === 'gone') this.remove(signIn);
    if (sent.result === 'later') this.#waitUntil.set(endpoint, now() + sent.afterMs);
    if (sent.result === 'refused') log.warn('push refused', { why: sent.why });
    return sent;
  }
}
