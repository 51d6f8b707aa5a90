// The import rules. This table documents the layers; `layers.mjs` enforces it. A unit is a folder; the longest
// matching prefix decides. `*` stands for one folder name, and a unit `a/*` may import another `a/*` only if its list names it. Every
// unit may import itself and zod. A folder of a package with units that is in no unit fails the check.

const PURE = ['protocol'];
const DRIVERS = ['drivers', 'drivers/kit', 'drivers/*'];

/**
 * The page's features, each with the features it may import, from the bottom up: a feature may only name features
 * above it in this list.
 * @type {Record<string, string[]>}
 */
export const FEATURES = {
  accounts: [],
  attention: [],
  editor: [],
  files: [],
  machines: [],
  markdown: [],
  preview: [],
  prompt: [],
  'session-panel': [],
  terminal: [],
  trust: [],
  workspaces: ['prompt', 'terminal'],
  drawing: ['markdown'],
  highlight: ['markdown'],
  diff: ['highlight'],
  prose: ['markdown', 'drawing', 'highlight'],
  conversation: ['prose'],
  attachments: ['conversation'],
  'tool-results': ['attachments', 'conversation', 'diff', 'files', 'highlight'],
  requests: ['conversation', 'tool-results'],
  restore: ['attachments', 'conversation', 'prompt'],
  entries: ['attachments', 'conversation', 'diff', 'requests', 'restore', 'tool-results'],
};
/** @param {string[]} names */
const features = (names) => names.map((name) => `web/features/${name}`);

const PAGE = [...PURE, 'client'];
/** The layers of the page, from the bottom up: each may import those above it in this table. */
/** @type {Record<string, {may: string[], node: boolean, why: string}>} */
const PAGE_LAYERS = {
  'web/kit': {
    may: PAGE,
    node: false,
    why: 'the client, stores, formatters, actions and layout; draws nothing',
  },
  'web/ui': { may: [...PAGE, 'web/kit'], node: false, why: 'primitives and tokens; know no subject' },
  ...Object.fromEntries(
    Object.entries(FEATURES).map(([name, lower]) => [
      `web/features/${name}`,
      {
        may: [...PAGE, 'web/kit', 'web/ui', ...features(lower)],
        node: false,
        why: 'shared by cards; knows no card and only the features listed for it',
      },
    ]),
  ),
  'web/cards/*': {
    may: [...PAGE, 'web/kit', 'web/ui', ...features(Object.keys(FEATURES))],
    node: false,
    why: 'a card knows no other card',
  },
  'web/shell': {
    may: [...PAGE, 'web/kit', 'web/ui', ...features(Object.keys(FEATURES)), 'web/cards/*'],
    node: false,
    why: 'the frame around all cards',
  },
  'web/worker': {
    may: [...PURE, 'client'],
    node: false,
    why: 'the service worker; knows nothing of the page',
  },
  web: { may: [...PAGE, 'web/kit', 'web/shell'], node: false, why: 'the entry point' },
};

const MACHINE = {
  may: [
    ...PURE,
    'agents',
    'local',
    'journal',
    'store',
    'trees',
    'trust',
    'drivers/setup',
    'machine',
    'machine/*',
  ],
  node: true,
  why: 'projects, sessions and their files; knows no driver',
};

/** @type {Record<string, {may: string[] | 'everything', node: boolean, why: string}>} */
export const LAYERS = {
  protocol: { may: [], node: false, why: 'pure: the same fold runs in host, page and reader' },
  agents: { may: PURE, node: true, why: 'a catalog: data only' },
  local: { may: PURE, node: true, why: 'this machine: directories, process identity, ledger, timings, logs' },
  journal: { may: [...PURE, 'local'], node: true, why: 'the conversation on disk' },
  'drivers/kit': {
    may: [...PURE, 'agents', 'local'],
    node: true,
    why: 'the driver interface and shared code',
  },
  'drivers/*': { may: [...PURE, 'agents', 'drivers/kit'], node: true, why: 'knows only its own agent' },
  'drivers/setup': {
    may: [...PURE, 'agents', 'drivers/kit', 'drivers/*'],
    node: true,
    why: "descriptions of the agents' own files",
  },
  drivers: { may: [...PURE, 'agents', ...DRIVERS], node: true, why: 'the list of drivers' },
  trees: { may: [...PURE, 'local'], node: true, why: 'records the project at the start and end of turns' },
  trust: { may: [...PURE, 'agents', 'local'], node: true, why: 'project configuration for agents' },
  host: {
    may: [...PURE, 'agents', 'local', 'journal', 'trees', 'trust', ...DRIVERS],
    node: true,
    why: 'owns a live session',
  },
  'terminal-host': { may: [...PURE, 'local'], node: true, why: 'owns all PTYs' },
  keeper: { may: [...PURE, 'local'], node: true, why: 'keeps the port between servers' },
  reader: { may: [...PURE, 'agents', 'local', 'journal', ...DRIVERS], node: true, why: 'heavy file work' },
  store: { may: [...PURE, 'local', 'trust'], node: true, why: 'the tables of tugdeck.db' },
  machine: MACHINE,
  'machine/*': MACHINE,
  link: {
    may: [...PURE, 'local', 'machine'],
    node: true,
    why: 'the port of a machine over a byte stream; knows no page',
  },
  fleet: {
    may: [...PURE, 'local', 'journal', 'machine', 'machine/channels', 'link'],
    node: true,
    why: 'links and copies of journals through a NATS server; knows no page',
  },
  gateway: {
    may: [...PURE, 'local', 'store', 'machine', 'link', 'fleet'],
    node: true,
    why: 'serves pages; knows the port of the machine, not its folders',
  },
  'demo-agent': { may: [], node: true, why: 'a separate program that speaks a public protocol' },
  client: { may: PURE, node: false, why: 'browser-safe, no React' },
  ...PAGE_LAYERS,
  cli: {
    may: [
      ...PURE,
      'agents',
      'local',
      'journal',
      ...DRIVERS,
      'host',
      'terminal-host',
      'keeper',
      'reader',
      'store',
      'machine',
      'machine/*',
      'link',
      'fleet',
      'gateway',
    ],
    node: true,
    why: 'the only package that knows every entry point',
  },
  testkit: { may: 'everything', node: true, why: 'nothing of the product imports it' },
  bench: { may: 'everything', node: true, why: 'nothing imports it' },
  e2e: { may: 'everything', node: true, why: 'nothing imports it' },
};

/**
 * Modules that the sources of a package must not import, also their submodules. `except`: files that may.
 * @type {Record<string, {modules: string[], except?: string[], why: string}[]>}
 */
export const FORBIDDEN = {
  machine: [
    { modules: ['node:http', 'node:https', 'node:http2', 'fastify', 'ws'], why: 'knows no HTTP and no page' },
  ],
  gateway: [
    { modules: ['node:child_process', 'node:worker_threads'], why: 'starts no agent' },
    {
      modules: ['node:fs', '@tugdeck/local/files', '@tugdeck/local/git'],
      // The page's own files, the user's keys, password and certificate.
      except: [
        'deck/keys-file.ts',
        'transport/exposure.ts',
        'transport/page-files.ts',
        'transport/password.ts',
      ],
      why: 'touches no project file; the machine does',
    },
  ],
};

/** Test and benchmark code: never imported by the product. */
export const NOT_PRODUCT = ['testkit', 'bench', 'e2e'];
