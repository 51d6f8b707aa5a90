/** The files that describe our service to systemd and launchd. Pure. */

export interface ServiceCommand {
  readonly words: readonly string[];
  /** Where agents are found; services start with a short PATH. */
  readonly path: string;
}

/** `KillMode=process`: session hosts and agents outlive the server (L8). */
export function systemdUnit({ words, path }: ServiceCommand): string {
  return `[Unit]
Description=Tugdeck server

[Service]
ExecStart=${words.map(quoted).join(' ')}
Environment=${quoted(`PATH=${path}`)}
KillMode=process
Restart=on-failure
RestartSec=2

[Install]
WantedBy=default.target
`;
}

/** systemd expands % and, in commands, $; quotes and backslashes end or escape. */
function quoted(word: string): string {
  return `"${word.replace(/[\\"]/g, '\\$&').replaceAll('%', '%%').replaceAll('$', '$$$$').replaceAll('\n', '\\n')}"`;
}

export function launchAgent(label: string, { words, path }: ServiceCommand): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key><string>${escaped(label)}</string>
  <key>ProgramArguments</key>
  <array>
${words.map((word) => `    <string>${escaped(word)}</string>`).join('\n')}
  </array>
  <key>EnvironmentVariables</key>
  <dict><key>PATH</key><string>${escaped(path)}</string></dict>
  <key>RunAtLoad</key><true/>
  <key>KeepAlive</key><dict><key>SuccessfulExit</key><false/></dict>
  <key>AbandonProcessGroup</key><true/>
</dict>
</plist>
`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
