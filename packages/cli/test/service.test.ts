/** `tugdeck service` with a recording systemctl: the unit, and which commands are run. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchAgent, systemdUnit } from '../src/service-files.ts';
import { type BuiltCli, buildCli, CliPlace } from './built-cli.ts';

let cli: BuiltCli;
let place: CliPlace;
beforeAll(async () => {
  cli = await buildCli();
  place = new CliPlace(cli);
});
afterAll(async () => {
  await place.clear();
  cli.remove();
});

test.skipIf(process.platform !== 'linux')(
  'L27 installs, reports and removes a systemd user unit',
  async () => {
    const bin = join(place.base, 'bin');
    const calls = join(place.base, 'calls');
    mkdirSync(bin);
    writeFileSync(join(bin, 'systemctl'), `#!/bin/sh\necho "$@" >> ${calls}\n`, { mode: 0o755 });
    const environment = { PATH: `${bin}:/usr/bin:/bin` };
    const unit = join(place.base, '.config/systemd/user/tugdeck.service');
    expect((await place.run(['service', 'status'], environment)).out).toContain('not installed');
    expect((await place.run(['service', 'remove'], environment)).code).toBe(1);

    const installed = await place.run(['service', 'install'], environment);
    expect(installed).toMatchObject({ code: 0, out: `Installed ${unit}\n` });
    const text = readFileSync(unit, 'utf8');
    expect(text).toContain(`"${place.program}" "serve" "--data-dir" "${place.data}"`);
    expect(text).toContain(`Environment="PATH=${environment.PATH}"`);
    // Sessions outlive the server.
    expect(text).toContain('KillMode=process');
    expect(readFileSync(calls, 'utf8')).toBe('--user daemon-reload\n--user enable --now tugdeck.service\n');

    expect((await place.run(['service', 'remove'], environment)).code).toBe(0);
    expect(existsSync(unit)).toBe(false);
    expect(readFileSync(calls, 'utf8')).toContain('--user disable --now tugdeck.service');
  },
);

test('L27 paths with special characters stay one argument', () => {
  const command = { words: ['/a b/node', '/x"\\%$HOME/t'], path: '/bin' };
  expect(systemdUnit(command)).toContain('ExecStart="/a b/node" "/x\\"\\\\%%$$HOME/t"');
  expect(launchAgent('l', { words: ['<&>'], path: '' })).toContain('<string>&lt;&amp;&gt;</string>');
});
