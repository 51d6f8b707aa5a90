// Child processes of the tools, with their output passed through or captured.
import { spawn } from 'node:child_process';
import { ROOT } from './repository.mjs';

/**
 * @typedef {{code: number, output: string}} Outcome
 * @param {string} command
 * @param {string[]} args
 * @param {{keep?: boolean, env?: NodeJS.ProcessEnv}} [options] `keep`: collect the output, do not print it
 * @returns {Promise<Outcome>}
 */
export function run(command, args, { keep = false, env = process.env } = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd: ROOT,
      env,
      stdio: keep ? ['ignore', 'pipe', 'pipe'] : ['ignore', 'inherit', 'inherit'],
    });
    let output = '';
    child.stdout?.setEncoding('utf8').on('data', (text) => {
      output += text;
    });
    child.stderr?.setEncoding('utf8').on('data', (text) => {
      output += text;
    });
    child.on('error', (error) => resolve({ code: 127, output: output + error.message }));
    child.on('close', (code, signal) =>
      resolve({ code: code ?? 1, output: signal ? `${output}\n${signal}` : output }),
    );
  });
}

/** @param {string[]} args */
export const runNode = (args, options = {}) => run(process.execPath, args, options);
