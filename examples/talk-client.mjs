#!/usr/bin/env node
// A client of the stdio protocol in plain JavaScript: sends one message, prints the answer as it comes, asks on the
// terminal before the agent does something. Usage: node talk-client.mjs "What does this project do?"
// The protocol is described in docs/protocol.md.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

const text = process.argv.slice(2).join(' ');
if (text === '') {
  console.error('usage: talk-client.mjs TEXT');
  process.exit(2);
}

const [command, ...args] = (process.env.TUGDECK ?? 'tugdeck').split(' ');
const tugdeck = spawn(command, [...args, 'talk'], { stdio: ['pipe', 'pipe', 'inherit'] });
const say = (message) => tugdeck.stdin.write(`${JSON.stringify(message)}\n`);

const keyboard = createInterface({ input: process.stdin });
const typed = keyboard[Symbol.asyncIterator]();
async function ask(question) {
  process.stdout.write(question);
  const { value, done } = await typed.next();
  return done ? '' : value.trim();
}

async function answer(message) {
  const { request_id } = message;
  if (message.type === 'question') {
    const answers = {};
    for (const { id, text: question, options } of message.questions) {
      answers[id] = await ask(`\n${question} (${options.map(({ label }) => label).join(', ')}) `);
    }
    say({ type: 'question_answer', request_id, answers });
    return;
  }
  const yes = await ask(`\n${message.title} Allow? (y/n) `);
  say({ type: 'tool_approval', request_id, decision: yes === 'y' ? 'allow' : 'deny' });
}

let code = 1;
say({ type: 'protocol_init', version: 2 });
say({ type: 'user_message', text });

for await (const line of createInterface({ input: tugdeck.stdout })) {
  const message = JSON.parse(line);
  switch (message.type) {
    case 'assistant_text':
      process.stdout.write(message.text + (message.is_partial ? '' : '\n'));
      break;
    case 'tool_approval_request':
    case 'control_request_forward':
    case 'question':
      await answer(message);
      break;
    case 'error':
      console.error(`${message.code}: ${message.message}`);
      break;
    case 'turn_complete':
    case 'turn_cancelled':
      code = message.result === 'success' ? 0 : 1;
      tugdeck.stdin.end();
  }
}
process.exit(code);
