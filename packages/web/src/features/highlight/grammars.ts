/**
 * The grammars, each in its own file that is loaded with the first code in its language. Only the worker may import
 * this. The list is fixed, so that text from an agent can never become a URL.
 */
import type { LanguageRegistration } from 'shiki/core';

type Load = () => Promise<{ default: LanguageRegistration[] }>;

/** Loaded together with the first highlighted code. */
export const PRELOADED: Readonly<Record<string, Load>> = {
  typescript: () => import('shiki/langs/typescript.mjs'),
  tsx: () => import('shiki/langs/tsx.mjs'),
  javascript: () => import('shiki/langs/javascript.mjs'),
  json: () => import('shiki/langs/json.mjs'),
  html: () => import('shiki/langs/html.mjs'),
  css: () => import('shiki/langs/css.mjs'),
  shellscript: () => import('shiki/langs/shellscript.mjs'),
  python: () => import('shiki/langs/python.mjs'),
  rust: () => import('shiki/langs/rust.mjs'),
  go: () => import('shiki/langs/go.mjs'),
  java: () => import('shiki/langs/java.mjs'),
  c: () => import('shiki/langs/c.mjs'),
  cpp: () => import('shiki/langs/cpp.mjs'),
  sql: () => import('shiki/langs/sql.mjs'),
  yaml: () => import('shiki/langs/yaml.mjs'),
  markdown: () => import('shiki/langs/markdown.mjs'),
  diff: () => import('shiki/langs/diff.mjs'),
};

const ON_DEMAND: Readonly<Record<string, Load>> = {
  jsx: () => import('shiki/langs/jsx.mjs'),
  ruby: () => import('shiki/langs/ruby.mjs'),
  php: () => import('shiki/langs/php.mjs'),
  csharp: () => import('shiki/langs/csharp.mjs'),
  kotlin: () => import('shiki/langs/kotlin.mjs'),
  swift: () => import('shiki/langs/swift.mjs'),
  scala: () => import('shiki/langs/scala.mjs'),
  toml: () => import('shiki/langs/toml.mjs'),
  xml: () => import('shiki/langs/xml.mjs'),
  dockerfile: () => import('shiki/langs/dockerfile.mjs'),
  make: () => import('shiki/langs/make.mjs'),
  cmake: () => import('shiki/langs/cmake.mjs'),
  graphql: () => import('shiki/langs/graphql.mjs'),
  vue: () => import('shiki/langs/vue.mjs'),
  svelte: () => import('shiki/langs/svelte.mjs'),
  lua: () => import('shiki/langs/lua.mjs'),
  perl: () => import('shiki/langs/perl.mjs'),
  r: () => import('shiki/langs/r.mjs'),
  dart: () => import('shiki/langs/dart.mjs'),
  elixir: () => import('shiki/langs/elixir.mjs'),
  haskell: () => import('shiki/langs/haskell.mjs'),
  clojure: () => import('shiki/langs/clojure.mjs'),
  zig: () => import('shiki/langs/zig.mjs'),
  powershell: () => import('shiki/langs/powershell.mjs'),
  ini: () => import('shiki/langs/ini.mjs'),
  nix: () => import('shiki/langs/nix.mjs'),
  terraform: () => import('shiki/langs/terraform.mjs'),
  proto: () => import('shiki/langs/proto.mjs'),
  scss: () => import('shiki/langs/scss.mjs'),
  less: () => import('shiki/langs/less.mjs'),
  'objective-c': () => import('shiki/langs/objective-c.mjs'),
  julia: () => import('shiki/langs/julia.mjs'),
  ocaml: () => import('shiki/langs/ocaml.mjs'),
  fsharp: () => import('shiki/langs/fsharp.mjs'),
  erlang: () => import('shiki/langs/erlang.mjs'),
  groovy: () => import('shiki/langs/groovy.mjs'),
  latex: () => import('shiki/langs/latex.mjs'),
  viml: () => import('shiki/langs/viml.mjs'),
  nginx: () => import('shiki/langs/nginx.mjs'),
  asm: () => import('shiki/langs/asm.mjs'),
  solidity: () => import('shiki/langs/solidity.mjs'),
  http: () => import('shiki/langs/http.mjs'),
  csv: () => import('shiki/langs/csv.mjs'),
  bat: () => import('shiki/langs/bat.mjs'),
  astro: () => import('shiki/langs/astro.mjs'),
  mdx: () => import('shiki/langs/mdx.mjs'),
  prisma: () => import('shiki/langs/prisma.mjs'),
  elm: () => import('shiki/langs/elm.mjs'),
};

export function grammarOf(language: string): Load | undefined {
  if (Object.hasOwn(PRELOADED, language)) return PRELOADED[language];
  return Object.hasOwn(ON_DEMAND, language) ? ON_DEMAND[language] : undefined;
}
