/** `subagents`: two subagents in parallel, each with its own conversation. */
import type { Turn } from '../turn.ts';
import { listFiles } from './list-files.ts';

export async function subagents(turn: Turn): Promise<void> {
  await turn.say('Two subagents will explore the project in parallel.');
  const both = ['Count the files', 'Find documents'] as const;
  const [files, documents] = await Promise.all([
    helper(turn, both[0], async (own) => {
      const names = await listFiles(own, 'List the project');
      const found = names.length === 1 ? '1 item' : `${names.length} items`;
      await own.say(`The project has **${found}** at the top level.`);
      return found;
    }),
    helper(turn, both[1], async (own) => {
      const names = (await listFiles(own, 'List the project')).filter((name) =>
        /\.(md|txt|rst)$/i.test(name),
      );
      await own.say(names.length === 0 ? 'No documents found.' : `Found: ${names.join(', ')}.`);
      return names.length === 0 ? 'no documents' : names.join(', ');
    }),
  ]);
  await turn.say(`Both are done. They found ${files} and ${documents}.`);
}

async function helper(turn: Turn, title: string, work: (own: Turn) => Promise<string>): Promise<string> {
  if (!turn.options.capabilities.subagents) return alone(turn, title, work);
  const { session: parent, ids } = turn.options;
  const session = `helper-${ids()}`;
  turn.update({ sessionUpdate: 'subagent_update', sessionId: session, title, state: { state: 'running' } });
  const own = turn.inside(session);
  const prompt = [{ type: 'text', text: `${title} in ${turn.options.directory}.` }];
  const link = { senderSessionId: parent, recipientSessionId: session, messageId: ids() };
  own.update({ sessionUpdate: 'session_message', ...link, content: prompt });
  const result = await work(own);
  const reply = { senderSessionId: session, recipientSessionId: parent, messageId: ids() };
  turn.update({ sessionUpdate: 'session_message', ...reply, content: [{ type: 'text', text: result }] });
  const state = { state: 'idle', stopReason: 'end_turn' };
  turn.update({ sessionUpdate: 'subagent_update', sessionId: session, state });
  return result;
}

/** For clients without subagents: a tool call of kind `think`. */
async function alone(turn: Turn, title: string, work: (own: Turn) => Promise<string>): Promise<string> {
  const tool = turn.tool({ kind: 'think', title, rawInput: { subagent_type: 'helper', description: title } });
  const silent = turn.inside(turn.options.session);
  silent.say = () => Promise.resolve();
  const result = await work(silent);
  const content = [{ type: 'content', content: { type: 'text', text: result } }];
  turn.patch(tool, { status: 'completed', content });
  return result;
}
