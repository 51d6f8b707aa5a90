// Preloaded into every process of the product (`NODE_OPTIONS`): appends each address that it connects to, or looks up,
// to the file in RECORD_CONNECTIONS, as one JSON line with the program's name. The product starts its processes with a
// clean environment, so the recorder adds itself again.
const { appendFileSync } = require('node:fs');
const { basename } = require('node:path');
const childProcess = require('node:child_process');
const dgram = require('node:dgram');
const dns = require('node:dns');
const { syncBuiltinESMExports } = require('node:module');
const net = require('node:net');

const file = process.env.RECORD_CONNECTIONS;
const program = basename(process.argv[1] ?? 'node');
const record = (to) => appendFileSync(file, `${JSON.stringify({ program, to })}\n`);

if (file) {
  record('started');
  const { connect } = net.Socket.prototype;
  net.Socket.prototype.connect = function (...args) {
    const [first, second] = Array.isArray(args[0]) ? args[0] : args;
    const options = typeof first === 'object' ? first : { port: first, host: second };
    const isPath =
      options.path ?? (typeof first === 'string' && Number.isNaN(Number(first)) ? first : undefined);
    record(isPath ? 'local socket' : String(typeof options.host === 'string' ? options.host : 'localhost'));
    return connect.apply(this, args);
  };
  const { lookup } = dns;
  dns.lookup = (name, ...rest) => {
    record(String(name));
    return lookup(name, ...rest);
  };
  const { send } = dgram.Socket.prototype;
  dgram.Socket.prototype.send = function (...args) {
    record(String(args.find((one) => typeof one === 'string' && /[.:]/.test(one)) ?? 'localhost'));
    return send.apply(this, args);
  };
  const { spawn } = childProcess;
  childProcess.spawn = (command, args, options) => {
    const { NODE_OPTIONS, RECORD_CONNECTIONS } = process.env;
    const env = options?.env && { ...options.env, NODE_OPTIONS, RECORD_CONNECTIONS };
    return spawn(command, args, env ? { ...options, env } : options);
  };
  syncBuiltinESMExports();
}
