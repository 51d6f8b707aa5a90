/**
 * The reference renderer: micromark with GFM and our allowlist for HTML. HTML begins only with an allowed tag, and
 * inside such a block every other `<` is text.
 */
import { micromark } from 'micromark';
import { htmlFlow, htmlText } from 'micromark-core-commonmark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';
import type {
  CompileContext,
  Construct,
  Effects,
  Extension,
  HtmlExtension,
  State,
} from 'micromark-util-types';
import { ALLOWED_TAGS } from '../src/features/markdown/allowed-tags.ts';

/** The content of a fold is Markdown: its tags do not start an HTML block. */
const BLOCK_TAGS = ALLOWED_TAGS.filter((name) => name !== 'details' && name !== 'summary');
const LESS = 60;
const SLASH = 47;

/** Passes at a tag with one of the names; a lone capital letter is a type parameter. */
const nameAmong = (names: readonly string[]): Construct => ({
  tokenize(effects: Effects, ok: State, nok: State): State {
    let name = '';
    const read: State = (code) => {
      const char = code !== null && code > 0 ? String.fromCharCode(code) : '';
      if (/[A-Za-z0-9-]/.test(char)) {
        name += char;
        effects.consume(code);
        return read;
      }
      effects.exit('data');
      const isAllowed = names.includes(name.toLowerCase()) && !/^[A-Z]$/.test(name);
      return (isAllowed ? ok : nok)(code);
    };
    const slash: State = (code) => {
      if (code !== SLASH) return read(code);
      effects.consume(code);
      return read;
    };
    return (code) => {
      effects.enter('data');
      effects.consume(code);
      return slash;
    };
  },
});

function among(names: readonly string[], construct: Construct): Construct {
  return {
    ...construct,
    name: `${construct.name}Allowed`,
    tokenize(effects, ok, nok) {
      return effects.check(nameAmong(names), construct.tokenize.call(this, effects, ok, nok), nok);
    },
  };
}

const allowList: Extension = {
  disable: { null: ['htmlFlow', 'htmlText'] },
  flow: { [LESS]: among(BLOCK_TAGS, htmlFlow) },
  text: { [LESS]: among(ALLOWED_TAGS, htmlText) },
};

const ANY_TAG = /<(?:(\/?)([A-Za-z][A-Za-z0-9-]*)((?:\s(?:[^"'>]|"[^"]*"|'[^']*')*)?)(\/?)>)?/g;

function escapeOthers(html: string): string {
  return html.replace(ANY_TAG, (raw: string, _slash?: string, name?: string) =>
    name !== undefined && ALLOWED_TAGS.includes(name.toLowerCase()) && !/^[A-Z]$/.test(name)
      ? raw
      : `&lt;${raw.slice(1)}`,
  );
}

/** A tag may span several lines, so the whole construct is checked. */
function enterHtml(this: CompileContext): undefined {
  this.setData('ignoreEncode', true);
  this.buffer();
}

function enterFlow(this: CompileContext): undefined {
  this.lineEndingIfNeeded();
  enterHtml.call(this);
}

function exitHtml(this: CompileContext): undefined {
  this.raw(escapeOthers(this.resume()));
  this.setData('ignoreEncode');
}

const escapedHtml: HtmlExtension = {
  enter: { htmlFlow: enterFlow, htmlText: enterHtml },
  exit: { htmlFlow: exitHtml, htmlText: exitHtml },
};

export function referenceHtml(text: string): string {
  return micromark(text, {
    allowDangerousHtml: true,
    allowDangerousProtocol: true,
    extensions: [gfm({ singleTilde: true }), allowList],
    htmlExtensions: [gfmHtml(), escapedHtml],
  });
}
