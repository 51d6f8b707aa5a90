// The import rules. This table documents the layers; `layers.mjs` enforces it. A unit is a folder; the longest
// matching prefix decides. `*` stands for one folder name, and a unit `a/*` may never import another `a/*`. Every
// unit may import itself and zod.

const PURE = ['protocol'];
const DRIVERS = ['drivers', 'drivers/kit', 'drivers/*'];

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
  machine: {
    may: [...PURE, 'agents', 'local', 'journal', 'store', 'trees', 'trust'],
    node: true,
    why: 'projects, sessions and their files; knows no driver',
  },
  gateway: {
    may: [...PURE, 'local', 'journal', 'store', 'machine'],
    node: true,
    why: 'serves pages; relays to the machine',
  },
  'demo-agent': { may: [], node: true, why: 'a separate program that speaks a public protocol' },
  client: { may: PURE, node: false, why: 'browser-safe, no React' },
  web: { may: [...PURE, 'client'], node: false, why: 'draws' },
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
      'gateway',
    ],
    node: true,
    why: 'the only package that knows every entry point',
  },
  testkit: { may: 'everything', node: true, why: 'nothing of the product imports it' },
  bench: { may: 'everything', node: true, why: 'nothing imports it' },
  e2e: { may: 'everything', node: true, why: 'nothing imports it' },
};

/** Test and benchmark code: never imported by the product. */
export const NOT_PRODUCT = ['testkit', 'bench', 'e2e'];
