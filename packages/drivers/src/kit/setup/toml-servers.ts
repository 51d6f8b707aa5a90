/** Servers by name in tables of a TOML file. Pure. */
import { fieldsOf, type ServerNotation, serverItem, withHiddenValues } from './forms.ts';
import type { ItemsForm } from './setup.ts';
import { parseToml, removeTomlTable, setTomlKeys } from './toml-edit.ts';

export function tomlServers(table: string, notation: ServerNotation, enabledKey: string): ItemsForm {
  const entriesOf = (text: string) => fieldsOf(parseToml(text)[table]);
  return {
    type: 'server',
    read: (text) =>
      Object.entries(entriesOf(text)).map(([name, entry]) => serverItem(name, fieldsOf(entry), notation)),
    write(text, { key, name, content }) {
      const entries = entriesOf(text);
      if (key !== undefined && !Object.hasOwn(entries, key))
        throw new SyntaxError(`${key} isn't in the file`);
      if (content === undefined) return key === undefined ? text : removeTomlTable(text, [table, key]);
      if (key !== name && Object.hasOwn(entries, name)) throw new SyntaxError(`${name} already exists`);
      const was = key === undefined ? {} : fieldsOf(entries[key]);
      const server = withHiddenValues(content, key === undefined ? undefined : notation.read(was));
      const keys = notation.write(server, was);
      if (key === undefined || key === name) {
        const changed = Object.entries(keys).filter(
          ([one, value]) => JSON.stringify(was[one]) !== JSON.stringify(value),
        );
        return setTomlKeys(text, [table, name], Object.fromEntries(changed));
      }
      return setTomlKeys(removeTomlTable(text, [table, key]), [table, name], { ...was, ...keys });
    },
    server(text, key) {
      const entries = entriesOf(text);
      return Object.hasOwn(entries, key) ? notation.read(fieldsOf(entries[key])) : undefined;
    },
    switch: (text, key, on) => setTomlKeys(text, [table, key], { [enabledKey]: on ? undefined : false }),
  };
}
