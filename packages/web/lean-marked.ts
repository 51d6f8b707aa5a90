/**
 * Leaves out of the page the half of marked that turns tokens into HTML text: the page has its own view and uses the
 * lexer only. marked ships as one file that creates a parser when it is loaded, so a bundler cannot drop that half by
 * itself. 4 KB of the first load.
 */
import type { Plugin } from 'vite';

const MARKED = /[\\/]node_modules[\\/]marked[\\/]lib[\\/]marked\.esm\.js$/;
/** The module-level instance, with everything up to the list of exports. */
const INSTANCE = /;var \w+=new \w+;function \w+\(\w+,\w+\)\{return \w+\.parse\([\s\S]*?export\{([^}]*)\};/;
const USED = /\b\w+ as (?:Lexer|Tokenizer)\b/g;

export function leanMarked(): Plugin {
  return {
    name: 'tugdeck-lean-marked',
    transform(code, id) {
      if (!MARKED.test(id)) return null;
      const [whole, names] = INSTANCE.exec(code) ?? [];
      const used = names?.match(USED) ?? [];
      if (whole === undefined || used.length !== 2)
        throw new Error('lean-marked.ts does not fit this version of marked');
      return { code: code.replace(whole, () => `;export{${used.join(',')}};`), map: null };
    },
  };
}
