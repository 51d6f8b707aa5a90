/** Creates a small PNG gradient without a library. */
import { crc32, deflateSync } from 'node:zlib';

const WIDTH = 240;
const HEIGHT = 120;

export function picture(): string {
  const row = WIDTH * 3 + 1;
  const pixels = Buffer.alloc(row * HEIGHT);
  for (let y = 0; y < HEIGHT; y++) {
    for (let x = 0; x < WIDTH; x++) {
      const wave = Math.sin(x / 24) * 20 + HEIGHT / 2;
      const lit = Math.abs(y - wave) < 6 ? 90 : 0;
      pixels.set([30 + (x * 90) / WIDTH + lit, 40 + (y * 80) / HEIGHT + lit, 110 + lit], y * row + 1 + x * 3);
    }
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(WIDTH, 0);
  header.writeUInt32BE(HEIGHT, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const parts = [part('IHDR', header), part('IDAT', deflateSync(pixels)), part('IEND', Buffer.alloc(0))];
  return Buffer.concat([signature, ...parts]).toString('base64');
}

function part(name: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(name, 'latin1'), data]);
  const frame = Buffer.alloc(4);
  const check = Buffer.alloc(4);
  frame.writeUInt32BE(data.length);
  check.writeUInt32BE(crc32(named));
  return Buffer.concat([frame, named, check]);
}
