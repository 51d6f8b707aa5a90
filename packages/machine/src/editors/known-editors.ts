/** Editors that can be opened from the page (W8), and how each takes a file and a line. Data and pure functions. */
export interface KnownEditor {
  readonly id: string;
  readonly name: string;
  /** Names on the PATH. */
  readonly commands: readonly string[];
  /** The command inside an application of macOS. */
  readonly macProgram: string;
  /** `path` is absolute, so it can't be taken for an option. */
  readonly args: (path: string, line: number | undefined) => string[];
}

const goto = (path: string, line: number | undefined) =>
  line === undefined ? [path] : ['--goto', `${path}:${line}`];
const suffix = (path: string, line: number | undefined) => [line === undefined ? path : `${path}:${line}`];
const jetbrains = (path: string, line: number | undefined) =>
  line === undefined ? [path] : ['--line', String(line), path];

const inBundle = (app: string, program: string) => `/Applications/${app}.app/Contents/${program}`;

const JETBRAINS = [
  ['idea', 'IntelliJ IDEA'],
  ['webstorm', 'WebStorm'],
  ['pycharm', 'PyCharm'],
  ['goland', 'GoLand'],
  ['clion', 'CLion'],
  ['phpstorm', 'PhpStorm'],
  ['rubymine', 'RubyMine'],
  ['rider', 'Rider'],
  ['rustrover', 'RustRover'],
] as const;

export const EDITORS: readonly KnownEditor[] = [
  {
    id: 'vscode',
    name: 'VS Code',
    commands: ['code', 'codium'],
    macProgram: inBundle('Visual Studio Code', 'Resources/app/bin/code'),
    args: goto,
  },
  {
    id: 'cursor',
    name: 'Cursor',
    commands: ['cursor'],
    macProgram: inBundle('Cursor', 'Resources/app/bin/cursor'),
    args: goto,
  },
  {
    id: 'zed',
    name: 'Zed',
    commands: ['zed', 'zeditor'],
    macProgram: inBundle('Zed', 'MacOS/cli'),
    args: suffix,
  },
  ...JETBRAINS.map(([id, name]) => ({
    id,
    name,
    commands: [id, `${id}.sh`],
    macProgram: inBundle(name, `MacOS/${id}`),
    args: jetbrains,
  })),
];
