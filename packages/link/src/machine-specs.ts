/** Machines as `config.json` names them (N20). */

export interface MachineSpec {
  readonly name: string;
  readonly command: readonly string[];
}

/** ssh with the user's own configuration. The keep-alives end it when the network is gone. */
export function sshCommand(name: string): string[] {
  const options = ['ConnectTimeout=10', 'ServerAliveInterval=5', 'ServerAliveCountMax=3'];
  return ['ssh', '-T', ...options.flatMap((option) => ['-o', option]), name, 'tugdeck', 'bridge'];
}

export function machineSpecs(
  machines: Readonly<Record<string, { readonly command?: readonly string[] | undefined }>> = {},
): MachineSpec[] {
  return Object.entries(machines).map(([name, { command }]) => ({
    name,
    command: command ?? sshCommand(name),
  }));
}
