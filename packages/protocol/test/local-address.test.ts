import { describe, expect, test } from 'vitest';
import { findLocalAddresses, originOf, readLocalAddress } from '../src/preview/local-address.ts';

describe('W7 local addresses', () => {
  test.for([
    ['http://localhost:5173/', 'http://localhost:5173', '/'],
    ['localhost:3000', 'http://localhost:3000', '/'],
    ['  127.0.0.1:8080/a?b#c ', 'http://127.0.0.1:8080', '/a?b#c'],
    ['http://[::1]:9/', 'http://[::1]:9', '/'],
    ['http://0.0.0.0:8000/x', 'http://localhost:8000', '/x'],
    ['http://[::]:8000', 'http://localhost:8000', '/'],
    ['http://2130706433:80/', 'http://127.0.0.1', '/'],
    ['localhost', 'http://localhost', '/'],
  ] as const)('W7 %s is the server %s at %s', ([text, origin, path]) => {
    const read = readLocalAddress(text);
    expect(read && [originOf(read), read.path]).toEqual([origin, path]);
  });

  test.for([
    'http://evil.example/',
    'https://localhost:5173/',
    'http://localhost.evil.example:1',
    'http://user@localhost:1/',
    'http://localhost:1@evil.example/',
    'http://evil.localhost:1/',
    'http://127.0.0.2:1/',
    'http://192.168.0.1/',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'localhost:99999',
    '',
  ])('W7 %s is not one', (text) => {
    expect(readLocalAddress(text)).toBeUndefined();
  });

  test('W7 finds the addresses in a server’s output, each once and without punctuation', () => {
    const output = `
  ➜  Local:   http://localhost:5173/
  ➜  Network: http://192.168.1.2:5173/
Listening on http://0.0.0.0:8000. Open (http://127.0.0.1:3000/app?x=1), or http://localhost:5173/
http://localhost:80evil http://localhost:1234.evil.example/ https://localhost:8443/`;
    expect(findLocalAddresses(output)).toEqual([
      'http://localhost:5173/',
      'http://0.0.0.0:8000',
      'http://127.0.0.1:3000/app?x=1',
    ]);
  });
});
