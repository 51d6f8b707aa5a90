// A web server like those that development tools start: a page with a module, cookies, storage and a WebSocket. Prints its
// address; `/seen` answers with the headers of the requests so far, for a test. Exits with its standard input.
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';

const WEBSOCKET = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
/** @type {{url: string | undefined, headers: import('node:http').IncomingHttpHeaders}[]} */
const seen = [];
const PAGE = `<!doctype html>
<html><head><title>App</title></head><body>
<h1 id="title">Hello from the app</h1><button class="go">Go</button><ul id="facts"></ul>
<script type="module" src="/app.js"></script></body></html>`;
const SCRIPT = `
const tell = (text) => { const item = document.createElement('li'); item.textContent = text; document.querySelector('#facts').append(item); };
document.cookie = 'fromScript=1';
localStorage.setItem('visits', String(Number(localStorage.getItem('visits') ?? 0) + 1));
tell('module ran');
tell('visits ' + localStorage.getItem('visits'));
const answer = await (await fetch('/facts', { method: 'POST', body: 'x' })).json();
tell('host ' + answer.host);
tell('origin ' + answer.origin);
tell('cookies ' + (answer.cookie ?? 'none'));
const socket = new WebSocket('ws://' + location.host + '/live', 'hmr');
socket.onmessage = ({ data }) => tell('socket ' + data);
try { tell('top ' + top.location.href); } catch { tell('top is another origin'); }
try { top.location.href = 'https://evil.example/'; tell('top was navigated'); } catch { tell('top stays'); }
tell('popup ' + String(open('about:blank')));
console.error('Broken \\u202e thing', { code: 7 });
`;

const server = createServer((request, response) => {
  const { url, headers } = request;
  seen.push({ url, headers });
  const send = (/** @type {string} */ type, /** @type {string} */ body, more = {}) =>
    response.writeHead(200, { 'content-type': type, ...more }).end(body);
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  if (url === '/app.js') send('text/javascript', SCRIPT);
  else if (url === '/facts') {
    const { host, origin, cookie } = headers;
    send('application/json', JSON.stringify({ host, origin, cookie }));
  } else if (url === '/seen') send('application/json', JSON.stringify(seen));
  else if (url === '/own') response.writeHead(302, { location: `http://127.0.0.1:${port}/` }).end();
  else if (url === '/away') response.writeHead(302, { location: `http://localhost:${port + 1}/there` }).end();
  else {
    send('text/html', PAGE, {
      'x-frame-options': 'DENY',
      'content-security-policy': "frame-ancestors 'none'",
      'set-cookie': ['fromServer=1; SameSite=Lax; Domain=localhost', 'tugdeck-preview=forged; Path=/'],
    });
  }
});
server.on('upgrade', (request, socket) => {
  seen.push({ url: request.url, headers: request.headers });
  const key = createHash('sha1')
    .update(`${request.headers['sec-websocket-key']}${WEBSOCKET}`)
    .digest('base64');
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${key}\r\nSec-WebSocket-Protocol: hmr\r\n\r\n`,
  );
  const text = Buffer.from('connected');
  socket.write(Buffer.concat([Buffer.from([0x81, text.length]), text]));
  socket.on('error', () => socket.destroy());
});
server.listen(Number(process.argv[2] ?? 0), '127.0.0.1', () => {
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  console.log(`  Local:   http://localhost:${port}/`);
});
process.stdin.on('end', () => process.exit()).resume();
