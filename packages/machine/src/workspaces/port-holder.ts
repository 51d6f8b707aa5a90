/** Names the process that listens on a port of this machine (B21). Only where `/proc` shows it. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

const LISTENING = '0A';

/** "node (pid 123)"; undefined if it belongs to another user or can't be seen. */
export function portHolder(port: number): string | undefined {
  const inodes = new Set(['/proc/net/tcp', '/proc/net/tcp6'].flatMap((file) => listeners(file, port)));
  if (inodes.size === 0) return undefined;
  for (const pid of names('/proc').filter((name) => /^\d+$/.test(name))) {
    const isHolder = names(`/proc/${pid}/fd`).some((fd) => {
      const inode = /^socket:\[(\d+)\]$/.exec(link(`/proc/${pid}/fd/${fd}`))?.[1];
      return inode !== undefined && inodes.has(inode);
    });
    if (isHolder) return `${text(`/proc/${pid}/comm`).trim()} (pid ${pid})`;
  }
  return undefined;
}

function listeners(file: string, port: number): string[] {
  const wanted = port.toString(16).toUpperCase().padStart(4, '0');
  return text(file)
    .split('\n')
    .flatMap((line) => {
      const [, local = '', , state, , , , , , inode] = line.trim().split(/\s+/);
      return state === LISTENING && local.endsWith(`:${wanted}`) && inode !== undefined ? [inode] : [];
    });
}

function text(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

function names(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // It ended, or belongs to another user.
  }
}

function link(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}
