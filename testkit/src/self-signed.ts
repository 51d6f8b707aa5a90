/** A certificate for localhost, made by openssl. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface SelfSigned {
  readonly key: Buffer;
  readonly cert: Buffer;
  /** The certificate, for programs that should trust it. */
  readonly file: string;
}

export function selfSigned(folder: string): SelfSigned {
  mkdirSync(folder, { recursive: true });
  const [key, file] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')];
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  execFileSync('openssl', ['req', '-x509', ...kind, ...names, '-keyout', key, '-out', file], {
    stdio: 'ignore',
  });
  return { key: readFileSync(key), cert: readFileSync(file), file };
}
