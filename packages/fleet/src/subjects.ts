/** The subjects of a fleet, which has its own NATS account, and who may use them. */
import type { Permissions } from './nats-tokens.ts';

/** The only stream of a fleet (N35). */
export const STREAM = 'TUGDECK';

/** `member`: the id of a machine in its fleet. */
export const SUBJECTS = {
  /** A machine is there. */
  here: (member: string) => `tug.here.${member}`,
  /** A deck opens a link. */
  dial: (member: string) => `tug.dial.${member}`,
  up: (member: string, connection: string) => `tug.link.${member}.${connection}.up`,
  down: (member: string, connection: string) => `tug.link.${member}.${connection}.down`,
  /** Somebody joins with a code. */
  join: (code: string) => `tug.join.${code}.dial`,
  joinUp: (code: string, connection: string) => `tug.join.${code}.${connection}.up`,
  joinDown: (code: string, connection: string) => `tug.join.${code}.${connection}.down`,
  /** All copies of a session. */
  session: (member: string, session: string) => `tug.copy.${member}.${session}`,
  journal: (member: string, session: string) => `tug.copy.${member}.${session}.j`,
  blob: (member: string, session: string, hash: string) => `tug.copy.${member}.${session}.b.${hash}`,
};

export const COPIES = 'tug.copy.>';

/** Replies of different users never share a prefix. */
export function inboxOf(user: string): string {
  return `_INBOX_${user}`;
}

export const DECK = 'deck';

export function deckPermissions(): Permissions {
  return {
    publish: ['tug.dial.*', 'tug.link.*.*.up', 'tug.join.*.*.down', '$JS.API.>'],
    subscribe: [
      'tug.here.*',
      'tug.link.*.*.down',
      'tug.join.*.dial',
      'tug.join.*.*.up',
      `${inboxOf(DECK)}.>`,
    ],
    replies: true,
  };
}

/** A machine reads and writes nothing of another one. */
export function machinePermissions(member: string): Permissions {
  const copies = `tug.copy.${member}.>`;
  return {
    publish: [
      SUBJECTS.here(member),
      SUBJECTS.down(member, '*'),
      copies,
      `$JS.API.DIRECT.GET.${STREAM}.${copies}`,
    ],
    subscribe: [SUBJECTS.dial(member), SUBJECTS.up(member, '*'), `${inboxOf(member)}.>`],
    replies: true,
  };
}

export function joinPermissions(code: string): Permissions {
  return {
    publish: [SUBJECTS.join(code), SUBJECTS.joinUp(code, '*')],
    subscribe: [SUBJECTS.joinDown(code, '*'), `${inboxOf(code)}.>`],
  };
}
