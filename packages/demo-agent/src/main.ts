/** Runs the demo agent on stdin and stdout. Exits when stdin closes. */
import { homedir } from 'node:os';
import { join } from 'node:path';
import { DemoAgent } from './agent.ts';

if (process.argv.includes('--version')) {
  process.stdout.write('0.1.0\n');
} else {
  const pace = process.env.TUGDECK_DEMO_PACE;
  const state = process.env.XDG_STATE_HOME || join(homedir(), '.local', 'state');
  const agent = new DemoAgent({
    input: process.stdin,
    output: process.stdout,
    memory: join(state, 'tugdeck-demo'),
    pace: pace === undefined ? undefined : Number(pace),
  });
  const leave = (): void => {
    agent.close();
    process.exit(0);
  };
  process.stdin.once('end', leave);
  process.once('SIGTERM', leave);
}
