// A long, deterministic Markdown answer of about 60 KB with everything that a renderer must handle while it
// streams: headings, lists, tables, twelve code blocks, quotes, links. Created by a seeded generator, the same on
// every machine, so that tests can compare bytes and benchmarks stay comparable.

const words =
  'the deck keeps every session in view while an agent edits files runs commands asks questions and waits for answers journal snapshot stream change version entry window host server page cursor queue turn request permission diff patch branch commit test build cache socket retry offset frame budget measure'.split(
    ' ',
  );

function generator(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

type Random = (below: number) => number;

function sentence(random: Random): string {
  const length = 8 + random(14);
  const picked = Array.from({ length }, () => words[random(words.length)] ?? 'deck');
  if (random(4) === 0) picked[3] = `**${picked[3]}**`;
  if (random(5) === 0) picked[5] = `\`${picked[5]}\``;
  const joined = picked.join(' ');
  return `${joined.charAt(0).toUpperCase()}${joined.slice(1)}.`;
}

const paragraph = (random: Random): string =>
  Array.from({ length: 4 + random(4) }, () => sentence(random)).join(' ');

function list(random: Random, ordered: boolean): string {
  const items = Array.from({ length: 6 }, (_, index) => {
    const item = `${ordered ? `${index + 1}.` : '-'} ${sentence(random)}`;
    return index === 2 ? `${item}\n   - ${sentence(random)}` : item;
  });
  return items.join('\n');
}

function table(random: Random): string {
  const word = (): string => words[random(words.length)] ?? 'deck';
  const rows = Array.from({ length: 8 }, () => `| ${word()} | ${random(1000)} | ${word()} ${word()} |`);
  return ['| name | count | meaning |', '|---|---:|---|', ...rows].join('\n');
}

function code(random: Random, section: number): string {
  const languages = ['ts', 'python', 'rust', 'bash', 'json', 'css'];
  const language = languages[section % languages.length] ?? 'ts';
  const lines = Array.from({ length: 30 }, (_, index) => {
    const [name, value] = [words[random(words.length)], words[random(words.length)]];
    if (language === 'json') return `  "${name}${index}": { "${value}": ${random(100)} },`;
    if (language === 'css') return `.${name}-${index} { --${value}: ${random(100)}px; }`;
    if (language === 'bash') return `echo "${name} ${value}" >> section-${section}-${index}.log`;
    if (language === 'python')
      return `${name}_${index} = ["${value}"] * ${random(100)}  # ${sentence(random)}`;
    const keyword = language === 'rust' ? 'let' : 'const';
    return `${keyword} ${name}${index} = make("${value}", ${random(100)}); // ${name} of ${value}`;
  });
  return `\`\`\`${language}\n${lines.join('\n')}\n\`\`\``;
}

function section(random: Random, number: number): string {
  return [
    `## ${number}. ${sentence(random)}`,
    paragraph(random),
    list(random, number % 2 === 0),
    code(random, number),
    paragraph(random),
    paragraph(random),
    table(random),
    `> ${sentence(random)}`,
    `See [section ${number}](#section-${number}) and *${words[random(words.length)]}*. ${paragraph(random)}`,
  ].join('\n\n');
}

function build(): string {
  const random = generator(7);
  const sections = Array.from({ length: 12 }, (_, index) => section(random, index + 1));
  return `# A long answer\n\n${paragraph(random)}\n\n${sections.join('\n\n')}\n\nEnd of the long answer.\n`;
}

export const longAnswer: string = build();

/** Characters per delta, for about four thousand deltas. */
export const longAnswerChunk: number = Math.ceil(longAnswer.length / 4_000);
