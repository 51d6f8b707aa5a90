/** Maps fence info strings and file names to grammar names; empty for plain text. Pure. */

const NAMES: Readonly<Record<string, string>> = {
  ts: 'typescript',
  mts: 'typescript',
  cts: 'typescript',
  js: 'javascript',
  mjs: 'javascript',
  cjs: 'javascript',
  node: 'javascript',
  jsonc: 'json',
  json5: 'json',
  jsonl: 'json',
  htm: 'html',
  sh: 'shellscript',
  bash: 'shellscript',
  zsh: 'shellscript',
  shell: 'shellscript',
  fish: 'shellscript',
  console: 'shellscript',
  py: 'python',
  pyi: 'python',
  python3: 'python',
  rs: 'rust',
  golang: 'go',
  h: 'c',
  cc: 'cpp',
  cxx: 'cpp',
  hpp: 'cpp',
  'c++': 'cpp',
  yml: 'yaml',
  md: 'markdown',
  patch: 'diff',
  rb: 'ruby',
  cs: 'csharp',
  'c#': 'csharp',
  kt: 'kotlin',
  kts: 'kotlin',
  docker: 'dockerfile',
  makefile: 'make',
  mk: 'make',
  gql: 'graphql',
  ps1: 'powershell',
  pwsh: 'powershell',
  conf: 'ini',
  cfg: 'ini',
  env: 'ini',
  properties: 'ini',
  tf: 'terraform',
  hcl: 'terraform',
  ex: 'elixir',
  exs: 'elixir',
  hs: 'haskell',
  clj: 'clojure',
  pl: 'perl',
  jl: 'julia',
  ml: 'ocaml',
  fs: 'fsharp',
  erl: 'erlang',
  gradle: 'groovy',
  tex: 'latex',
  vim: 'viml',
  svg: 'xml',
  m: 'objective-c',
  sass: 'scss',
};

const FILES: Readonly<Record<string, string>> = {
  dockerfile: 'dockerfile',
  makefile: 'make',
  'cmakelists.txt': 'cmake',
  '.bashrc': 'shellscript',
  '.zshrc': 'shellscript',
  '.gitignore': 'ini',
  '.npmrc': 'ini',
  '.env': 'ini',
};

/** From the word after a fence. */
export function languageOfFence(word: string): string {
  const name = word.trim().toLowerCase();
  return Object.hasOwn(NAMES, name) ? (NAMES[name] ?? name) : name;
}

export function languageOfPath(path: string): string {
  const name = path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1).toLowerCase();
  if (Object.hasOwn(FILES, name)) return FILES[name] ?? '';
  const dot = name.lastIndexOf('.');
  return dot < 0 ? '' : languageOfFence(name.slice(dot + 1));
}
