// The word list of `vocabulary.mjs`: forms and words that we do not use, and the files that still do.

/** @typedef {{pattern: RegExp, instead: string}} Rule */

/**
 * Forms that read as translated. `instead` is a hint, not a replacement.
 * @type {readonly Rule[]}
 */
export const FORMS = [
  { pattern: /\bwhoever\b/i, instead: 'name the actor' },
  {
    pattern: /^\s*(who|what) (is|was|has|comes|goes|runs|an?|the)\b/i,
    instead: 'start with the thing itself',
  },
  { pattern: /\bany ?more\b/i, instead: 'no longer' },
  { pattern: /\bmeanwhile\b/i, instead: 'name the time, or drop it' },
  { pattern: /\bin words\b/i, instead: 'as text' },
  { pattern: /\bat rest\b/i, instead: 'idle' },
  { pattern: /\bat work\b/i, instead: 'working, running' },
  { pattern: /\bof (ours|theirs|yours)\b/i, instead: 'our, their, your' },
  { pattern: /\bof (its|their|his|our|your) own\b/i, instead: 'its own …, separate' },
  { pattern: /\b(tell|tells|told) (of|apart)\b/i, instead: 'report, distinguish' },
  { pattern: /\bfor so long\b/i, instead: 'for this long' },
  { pattern: /\b(go|goes|going|gone|went) on with\b/i, instead: 'resume, continue' },
  { pattern: /\b(goes|went|gone) on\b/i, instead: 'continue, keep running' },
  {
    pattern: /\b(is|are|was|were|be|been) (told|heard|said|spoken)\b/i,
    instead: 'send, publish, report, receive',
  },
  {
    pattern: /\b(is|are|was|were|be|been) (asked for|waited for|looked at)\b/i,
    instead: 'request, wait for, check',
  },
  { pattern: /\bthere (is|are|was|were) no\b/i, instead: 'no …, … not found' },
  { pattern: /\b(is|are|was|were) no (?!longer\b|more than\b|one\b)\w/i, instead: 'is not a …' },
  { pattern: /\b(tak(e|es|en|ing)|took) back\b/i, instead: 'restore, revert, cancel' },
  { pattern: /\bput(s|ting)? aside\b/i, instead: 'stash, set aside' },
  { pattern: /\b(give|gives|given|giving|gave) up\b/i, instead: 'stop, abort, discard' },
  { pattern: /\bhand(s|ed|ing)? over\b/i, instead: 'pass, send' },
  { pattern: /\b(is|are|was|were) hung up on\b/i, instead: 'is terminated' },
  { pattern: /\bas many as may be\b/i, instead: 'the limit' },
  { pattern: /\bnothing is called\b/i, instead: 'no matches' },
  { pattern: /\bwhat shall\b/i, instead: 'what should, what do you want to' },
  { pattern: /\bfor ever\b/i, instead: 'forever' },
  { pattern: /\banew\b/i, instead: 'again' },
  { pattern: /\bbehind \S+ back\b/i, instead: 'in the background' },
  { pattern: /\b(told|heard)\b/i, instead: 'sent, reported, received' },
  { pattern: /\bin vain\b/i, instead: 'timed out, without success' },
  { pattern: /\bthat (is|are) none\b/i, instead: 'invalid, unknown' },
  { pattern: /\bnobody knows\b/i, instead: 'unknown' },
  { pattern: /\b(in force|at hand)\b/i, instead: 'active, available' },
  { pattern: /\b(first|next|last|are|is) in line\b/i, instead: 'queued' },
  { pattern: /\b(come|comes|came) to rest\b/i, instead: 'finish, become idle' },
];

/**
 * One word per concept, and American spelling.
 * @type {readonly Rule[]}
 */
export const WORDS = [
  { pattern: /\bwork trees?\b/i, instead: 'worktree' },
  { pattern: /\bone-time (address|URL)(e?s)?\b|\bsign-in address(es)?\b/i, instead: 'sign-in link' },
  { pattern: /\bsigned address(es)?\b/i, instead: 'signed URL' },
  { pattern: /\bforeign (session|program|conversation)s?\b/i, instead: 'external' },
  { pattern: /\ballow(ed)? always\b/i, instead: 'always allow' },
  { pattern: /\b(waits|waiting|blocked|blocks) (for|on) you\b/i, instead: 'needs you' },
  { pattern: /\b(sum|sums|summed|summing) up\b/i, instead: 'compact' },
  {
    pattern: /\b(colour|behaviour|neighbour|favourite|honour|centre)(s|ed|ing|able)?\b/i,
    instead: 'American spelling',
  },
  {
    pattern:
      /\b(organi|seriali|deseriali|saniti|recogni|normali|authori|initiali|minimi|maximi|optimi)s(e|es|ed|ing|er|ation)\b/i,
    instead: 'American spelling (-ize)',
  },
  {
    pattern: /\b(cancell|journall|signall|labell|travell|modell)(ed|ing|er)\b/i,
    instead: 'American spelling (one l)',
  },
  {
    pattern: /\b(licence|grey|judgement|catalogue|dialogue)s?\b/i,
    instead: 'American spelling (license, gray, judgment, catalog, dialog)',
  },
];

/** Words that keep their capital letter inside a label. */
export const NAMES = new Set(
  'Ctrl Enter Escape Git GitHub Chromium Fastify Linux Markdown Node Shift Tab Tugdeck'.split(' '),
);

/**
 * Texts that `tugdeck replay` prints. Its output is fixed, because other programs compare it, so these stay as they
 * were first written. Texts of the drivers that replay does not print (details, advice, labels, controls) are not
 * listed here.
 */
const REPLAY_TEXTS = [
  'The agent added a message of its own.',
  'The conversation was summed up',
  'The conversation could not be summed up',
  'Summing up the conversation',
  'was cancelled',
  'the answer never took the form that was asked for',
  'the conversation is full again right after it was summed up',
  'going on with',
  'Going on with',
  'Sum up the conversation with /compact',
  'Go on with a subagent',
  'The goal is given up.',
  'The conversation goes on from an earlier point.',
];

/** How driver tests print an entry or a turn: its kind and its status, which is on the wire. */
const CANCELLED = ['user', 'text', 'thinking', 'tool', 'permission', 'question'].map(
  (kind) => `${kind} cancelled`,
);

/**
 * Texts that stay, with the reason, in one file or in all files of a folder. An entry that matches nothing is a
 * failure.
 * @type {readonly {file: string, text: string, why: string}[]}
 */
export const EXCEPTIONS = [
  ...REPLAY_TEXTS.map((text) => ({ file: 'packages/drivers', text, why: 'printed by tugdeck replay' })),
  ...CANCELLED.map((text) => ({ file: 'packages/drivers/test', text, why: 'a status on the wire' })),
  {
    file: 'packages/drivers/test/acp-odd.test.ts',
    text: 'summed up',
    why: 'part of a text that tugdeck replay prints',
  },
  { file: 'packages/drivers/test', text: 'Which colour?', why: 'the form of a test server' },
  { file: 'e2e/attack/hostile-agent.mjs', text: 'git status', why: 'the title of a hostile request' },
  {
    file: 'packages/protocol/src/export/html-style.ts',
    text: 'data-status="cancelled"',
    why: 'an entry status, which is on the wire',
  },
  { file: 'packages/agents/src/catalog.ts', text: 'Code', why: 'product name' },
  { file: 'testkit/src/asking-server.mjs', text: 'Colour', why: 'recorded in fixtures' },
  { file: 'testkit/src/record/recorded-flows.ts', text: 'What is there?', why: 'recorded in fixtures' },
  { file: 'testkit/src/record/recorded-flows.ts', text: 'Which colour?', why: 'recorded in fixtures' },
  { file: 'testkit/src/scenarios.ts', text: 'Which colour', why: 'expected by end-to-end tests' },
];
