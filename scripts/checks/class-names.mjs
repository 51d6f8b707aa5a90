// A card's styles load when it first opens and stay: a class name that another folder uses too changes how that looks from then on.
import { listFiles, readText, verdict } from './tree.mjs';

const SOURCE = 'packages/web/src/';
/** Rules about the page as a whole, for everything that a phone, a limited device or exact text has. */
const CROSSING = new Set(['shell/phone.css', 'shell/limited.css', 'ui/exact-text.css']);

/** @param {string} root @returns {import('./tree.mjs').Verdict} */
export function checkClassNames(root) {
  const files = listFiles(root, ['packages/web'], /\.css$/).filter(
    (file) => file.startsWith(SOURCE) && !CROSSING.has(file.slice(SOURCE.length)),
  );
  /** @type {Map<string, Set<string>>} */
  const owners = new Map();
  for (const file of files) {
    const [layer, name] = file.slice(SOURCE.length).split('/');
    const owner = layer === 'cards' || layer === 'features' ? `${layer}/${name}` : String(layer);
    for (const className of bareClasses(readText(root, file))) {
      const known = owners.get(className) ?? new Set();
      owners.set(className, known.add(owner));
    }
  }
  const problems = [...owners]
    .filter(([, all]) => all.size > 1 && [...all].some((owner) => owner.startsWith('cards/')))
    .map(([name, all]) => `.${name} is styled in ${[...all].sort().join(' and ')}: rename one of them`);
  return verdict(files.length, problems);
}

/** Classes that a selector names alone, so that its rule applies wherever the class is used. */
function* bareClasses(/** @type {string} */ text) {
  const rules = text.replace(/\/\*[\s\S]*?\*\//g, '').matchAll(/([^{}]+)\{/g);
  for (const [, selectors = ''] of rules)
    for (const selector of selectors.split(',')) {
      const name = /^\.([a-z][\w-]*)$/.exec(selector.trim())?.[1];
      if (name !== undefined) yield name;
    }
}
