// Lists every module name that a TypeScript file imports, types included. Uses a real parser, because a regular
// expression would also match comments and strings.
import { loadParser } from '../parts/bundle.mjs';

/**
 * @typedef {{name: string, offset: number}} Mention
 * @returns {Promise<(file: string, text: string) => Mention[]>}
 */
export async function importReader() {
  const { parseAst } = await loadParser();
  return (file, text) => {
    const lang = file.endsWith('x') ? 'tsx' : file.endsWith('ts') ? 'ts' : 'js';
    /** @type {Mention[]} */
    const mentions = [];
    visit(parseAst(text, { lang, astType: 'ts' }, file), mentions);
    return mentions;
  };
}

/** @param {any} node @param {Mention[]} mentions */
function visit(node, mentions) {
  if (Array.isArray(node)) {
    for (const child of node) visit(child, mentions);
    return;
  }
  if (node === null || typeof node !== 'object') return;
  const source = mentioned(node);
  if (typeof source?.value === 'string') mentions.push({ name: source.value, offset: source.start });
  for (const key in node) if (key !== 'parent') visit(node[key], mentions);
}

/** @param {any} node */
function mentioned(node) {
  switch (node.type) {
    case 'ImportDeclaration':
    case 'ExportNamedDeclaration':
    case 'ExportAllDeclaration':
    case 'ImportExpression':
    case 'TSImportType':
      return node.source ?? node.argument?.literal ?? null;
    case 'TSExternalModuleReference':
      return node.expression;
    case 'CallExpression':
      return node.callee.type === 'Identifier' && node.callee.name === 'require' ? node.arguments[0] : null;
    default:
      return null;
  }
}
