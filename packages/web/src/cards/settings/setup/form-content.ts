/** Converts the fields of a setup form to the content of an item. Pure. */
import {
  SETUP_DECISIONS,
  type SetupContent,
  type SetupPlace,
  type SetupServer,
} from '@tugdeck/protocol/areas/agent-setup';

export type FormValues = ReadonlyMap<string, string>;

/**
 * `was`: the edited item. A field that still shows its value keeps that value exactly, with spaces and line ends that a
 * field can't show. A string is the reason why the fields can't be used.
 */
export function contentOf(
  type: SetupPlace['type'],
  values: FormValues,
  was?: SetupContent,
): SetupContent | string {
  const line = (name: string, before?: string) => {
    const now = values.get(name) ?? '';
    return before !== undefined && now === before.replace(/[\r\n]/g, '') ? before : now.trim();
  };
  switch (type) {
    case 'server':
      return serverOf(values, line, was?.type === type ? was : undefined);
    case 'rule': {
      const decision = SETUP_DECISIONS.find((one) => one === line('decision')) ?? 'ask';
      const text = line('rule', was?.type === type ? was.text : undefined);
      return text === '' ? 'Enter a rule' : { type, decision, text };
    }
    case 'hook': {
      const before = was?.type === type ? was : undefined;
      const command = kept(values.get('command'), before?.command);
      const matcher = line('matcher', before?.matcher);
      return command === '' ? 'Enter a command' : { type, event: line('event'), matcher, command };
    }
    case 'name':
      return line('name') === '' ? 'Enter a name' : { type };
    case 'text':
      return { type, text: unixLines(values.get('text')) };
  }
}

function serverOf(
  values: FormValues,
  line: (name: string, before?: string) => string,
  was: SetupServer | undefined,
): SetupContent | string {
  const variables: [string, string][] = [];
  for (const one of lines(values.get('variables'))) {
    const at = one.indexOf('=');
    if (at < 1) return 'Use one NAME=value per line';
    variables.push([one.slice(0, at).trim(), one.slice(at + 1)]);
  }
  const server = { type: 'server' as const, variables: Object.fromEntries(variables) };
  if (line('name') === '') return 'Enter a name';
  if (line('way') === 'url') {
    const url = line('url', was?.url);
    if (!/^https?:\/\//.test(url)) return 'Enter a URL that begins with http:// or https://';
    return { ...server, args: [], url, transport: line('transport') === 'sse' ? 'sse' : 'http' };
  }
  const command = line('command', was?.command);
  if (command === '') return 'Enter a command';
  const isSame = was && unixLines(values.get('args')) === unixLines(was.args.join('\n'));
  return { ...server, command, args: isSame ? was.args : lines(values.get('args')) };
}

/** A text with several lines. */
function kept(value: string | undefined, before: string | undefined): string {
  const now = unixLines(value);
  return before !== undefined && now === unixLines(before) ? before : now.trim();
}

/** Forms send CR LF. */
function unixLines(text: string | undefined): string {
  return (text ?? '').replace(/\r\n?/g, '\n');
}

function lines(text: string | undefined): string[] {
  return unixLines(text)
    .split('\n')
    .filter((line) => line.trim() !== '');
}
