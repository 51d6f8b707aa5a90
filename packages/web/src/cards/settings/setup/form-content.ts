/** Converts the fields of a setup form to the content of an item. Pure. */
import { SETUP_DECISIONS, type SetupContent, type SetupPlace } from '@tugdeck/protocol/areas/agent-setup';

export type FormValues = ReadonlyMap<string, string>;

/** A string is the reason why the fields can't be used. */
export function contentOf(type: SetupPlace['type'], values: FormValues): SetupContent | string {
  const value = (name: string) => (values.get(name) ?? '').trim();
  switch (type) {
    case 'server':
      return serverOf(values, value);
    case 'rule': {
      const decision = SETUP_DECISIONS.find((one) => one === value('decision')) ?? 'ask';
      return value('rule') === '' ? 'Enter a rule' : { type, decision, text: value('rule') };
    }
    case 'hook':
      return value('command') === ''
        ? 'Enter a command'
        : { type, event: value('event'), matcher: value('matcher'), command: value('command') };
    case 'name':
      return value('name') === '' ? 'Enter a name' : { type };
    case 'text':
      // Forms send CR LF.
      return { type, text: (values.get('text') ?? '').replaceAll('\r\n', '\n') };
  }
}

function serverOf(values: FormValues, value: (name: string) => string): SetupContent | string {
  const variables: Record<string, string> = {};
  for (const line of lines(values.get('variables'))) {
    const at = line.indexOf('=');
    if (at < 1) return 'Use one NAME=value per line';
    variables[line.slice(0, at).trim()] = line.slice(at + 1);
  }
  if (value('name') === '') return 'Enter a name';
  if (value('way') === 'url') {
    if (!/^https?:\/\//.test(value('url'))) return 'Enter a URL that begins with http:// or https://';
    return {
      type: 'server',
      args: [],
      url: value('url'),
      transport: value('transport') === 'sse' ? 'sse' : 'http',
      variables,
    };
  }
  if (value('command') === '') return 'Enter a command';
  return { type: 'server', command: value('command'), args: lines(values.get('args')), variables };
}

function lines(text: string | undefined): string[] {
  return (text ?? '').split(/\r?\n/).filter((line) => line.trim() !== '');
}
