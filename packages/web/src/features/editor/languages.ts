/** The grammar for a file name. Each is loaded with the first file of its language. */
import type { Extension } from '@codemirror/state';

type Load = () => Promise<Extension>;

/** Legacy stream grammars, which have no syntax tree. */
async function stream(
  load: () => Promise<import('@codemirror/language').StreamParser<unknown>>,
): Promise<Extension> {
  const [{ StreamLanguage }, parser] = await Promise.all([import('@codemirror/language'), load()]);
  return StreamLanguage.define(parser);
}

const javascript =
  (config: { jsx?: boolean; typescript?: boolean }): Load =>
  async () =>
    (await import('@codemirror/lang-javascript')).javascript(config);

const LOADS: Readonly<Record<string, Load>> = {
  js: javascript({ jsx: true }),
  ts: javascript({ typescript: true }),
  tsx: javascript({ jsx: true, typescript: true }),
  json: async () => (await import('@codemirror/lang-json')).json(),
  css: async () => (await import('@codemirror/lang-css')).css(),
  html: async () => (await import('@codemirror/lang-html')).html(),
  xml: async () => (await import('@codemirror/lang-xml')).xml(),
  markdown: async () => (await import('@codemirror/lang-markdown')).markdown(),
  python: async () => (await import('@codemirror/lang-python')).python(),
  rust: async () => (await import('@codemirror/lang-rust')).rust(),
  go: async () => (await import('@codemirror/lang-go')).go(),
  java: async () => (await import('@codemirror/lang-java')).java(),
  cpp: async () => (await import('@codemirror/lang-cpp')).cpp(),
  sql: async () => (await import('@codemirror/lang-sql')).sql(),
  yaml: async () => (await import('@codemirror/lang-yaml')).yaml(),
  shell: () => stream(async () => (await import('@codemirror/legacy-modes/mode/shell')).shell),
  ruby: () => stream(async () => (await import('@codemirror/legacy-modes/mode/ruby')).ruby),
  swift: () => stream(async () => (await import('@codemirror/legacy-modes/mode/swift')).swift),
  kotlin: () => stream(async () => (await import('@codemirror/legacy-modes/mode/clike')).kotlin),
  csharp: () => stream(async () => (await import('@codemirror/legacy-modes/mode/clike')).csharp),
  toml: () => stream(async () => (await import('@codemirror/legacy-modes/mode/toml')).toml),
  docker: () => stream(async () => (await import('@codemirror/legacy-modes/mode/dockerfile')).dockerFile),
  diff: () => stream(async () => (await import('@codemirror/legacy-modes/mode/diff')).diff),
  lua: () => stream(async () => (await import('@codemirror/legacy-modes/mode/lua')).lua),
  ini: () => stream(async () => (await import('@codemirror/legacy-modes/mode/properties')).properties),
};

const BY_END: Readonly<Record<string, string>> = {
  js: 'js',
  mjs: 'js',
  cjs: 'js',
  jsx: 'js',
  ts: 'ts',
  mts: 'ts',
  cts: 'ts',
  tsx: 'tsx',
  json: 'json',
  jsonc: 'json',
  webmanifest: 'json',
  css: 'css',
  scss: 'css',
  less: 'css',
  html: 'html',
  htm: 'html',
  vue: 'html',
  svelte: 'html',
  xml: 'xml',
  svg: 'xml',
  plist: 'xml',
  md: 'markdown',
  markdown: 'markdown',
  mdx: 'markdown',
  py: 'python',
  pyi: 'python',
  rs: 'rust',
  go: 'go',
  java: 'java',
  c: 'cpp',
  h: 'cpp',
  cc: 'cpp',
  cpp: 'cpp',
  hpp: 'cpp',
  cxx: 'cpp',
  sql: 'sql',
  yml: 'yaml',
  yaml: 'yaml',
  sh: 'shell',
  bash: 'shell',
  zsh: 'shell',
  fish: 'shell',
  rb: 'ruby',
  swift: 'swift',
  kt: 'kotlin',
  kts: 'kotlin',
  cs: 'csharp',
  toml: 'toml',
  diff: 'diff',
  patch: 'diff',
  lua: 'lua',
  ini: 'ini',
  conf: 'ini',
  properties: 'ini',
  env: 'ini',
};
const BY_NAME: Readonly<Record<string, string>> = {
  dockerfile: 'docker',
  makefile: 'shell',
  gemfile: 'ruby',
  rakefile: 'ruby',
  '.bashrc': 'shell',
  '.zshrc': 'shell',
  '.profile': 'shell',
  '.editorconfig': 'ini',
  '.npmrc': 'ini',
  '.env': 'ini',
  'cargo.lock': 'toml',
};

export function languageName(path: string): string | undefined {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase();
  const end = name.slice(name.lastIndexOf('.') + 1);
  return BY_NAME[name] ?? (name.includes('.') ? BY_END[end] : undefined);
}

export async function loadLanguage(path: string): Promise<Extension | undefined> {
  const name = languageName(path);
  return name === undefined ? undefined : LOADS[name]?.();
}
