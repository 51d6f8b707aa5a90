/**
 * Maps grammar scopes to our syntax kinds, by number. The grammar engine only knows colors, so a kind is encoded as
 * a color; the real colors are in the token files. Used by the worker for the theme and by the page for class
 * names.
 */
export const SYNTAX_KINDS = [
  'plain',
  'keyword',
  'string',
  'number',
  'function',
  'type',
  'variable',
  'comment',
  'operator',
  'punctuation',
  'constant',
  'decorator',
  'tag',
  'attribute',
] as const;

export type SyntaxKind = (typeof SYNTAX_KINDS)[number];

const SCOPES: Readonly<Record<Exclude<SyntaxKind, 'plain'>, readonly string[]>> = {
  comment: ['comment', 'punctuation.definition.comment'],
  string: [
    'string',
    'punctuation.definition.string',
    'constant.other.symbol',
    'markup.inserted',
    'markup.inline.raw',
    'markup.fenced_code',
  ],
  number: ['constant.numeric', 'keyword.other.unit'],
  constant: ['constant.language', 'constant.character', 'support.constant', 'variable.language'],
  keyword: ['keyword', 'storage', 'keyword.operator.new', 'keyword.operator.expression', 'markup.changed'],
  operator: [
    'keyword.operator',
    'punctuation.definition.template-expression',
    'punctuation.section.embedded',
  ],
  function: [
    'entity.name.function',
    'support.function',
    'meta.function-call.generic',
    'entity.name.command',
    'markup.heading',
    'entity.name.section',
    'markup.underline.link',
  ],
  type: [
    'entity.name.type',
    'entity.name.class',
    'entity.other.inherited-class',
    'support.type',
    'support.class',
    'meta.diff',
  ],
  decorator: [
    'meta.decorator',
    'punctuation.decorator',
    'entity.name.function.decorator',
    'meta.attribute.rust',
  ],
  tag: ['entity.name.tag', 'markup.deleted'],
  attribute: ['entity.other.attribute-name', 'support.type.property-name', 'meta.object-literal.key'],
  punctuation: ['punctuation', 'meta.brace'],
  variable: ['variable', 'entity.name.variable'],
};

const PLAIN = colorOfKind(0);

export const SYNTAX_THEME = {
  name: 'syntax',
  type: 'dark' as const,
  fg: PLAIN,
  bg: PLAIN,
  settings: [
    { settings: { foreground: PLAIN, background: PLAIN } },
    ...Object.entries(SCOPES).map(([kind, scope]) => ({
      scope: [...scope],
      settings: { foreground: colorOfKind(SYNTAX_KINDS.indexOf(kind as SyntaxKind)) },
    })),
  ],
};

function colorOfKind(kind: number): string {
  return `#${kind.toString(16).padStart(6, '0')}`;
}

export function kindOfColor(color: string | undefined): number {
  const kind = Number.parseInt(color?.slice(1) ?? '', 16);
  return kind > 0 && kind < SYNTAX_KINDS.length ? kind : 0;
}
