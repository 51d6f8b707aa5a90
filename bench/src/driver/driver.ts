/**
 * Lines per second from the agent's stdout through the driver (line splitting, parsing, translation) and the fold, as
 * in a host, against parsing the same bytes as JSON. The agent itself writes at most about 600 lines per second. The
 * goal is fifty times that, so that fifty agents at once leave half of a core idle.
 */
import { Translator } from '@tugdeck/drivers/claude/translate';
import { createLineReader } from '@tugdeck/local/lines';
import type { Change } from '@tugdeck/protocol/conversation/changes';
import { fold, foldAppend } from '@tugdeck/protocol/conversation/fold';
import { type Conversation, EMPTY } from '@tugdeck/protocol/conversation/state';
import { trim } from '@tugdeck/protocol/conversation/window';
import { type Benchmark, judge, machineLoad, Samples } from '../kit/result.ts';
import { agentLines } from './agent-lines.ts';

const GOAL = 30_000;
const TURNS = 150;
/** The chunk size of a pipe. */
const CHUNK = 64 * 1024;
const MAX_LINE = 16 * 1024 * 1024;
const [TRIM_AT, KEPT] = [512, 256];

function linesIn(bytes: Buffer, line: (text: string) => void): void {
  const reader = createLineReader(MAX_LINE, {
    line,
    overlong: () => {
      throw new Error('a line was too long');
    },
  });
  for (let at = 0; at < bytes.length; at += CHUNK) reader.push(bytes.subarray(at, at + CHUNK));
  reader.end();
}

function throughFold(bytes: Buffer): Conversation {
  const translator = new Translator({ mark: 'bench' });
  let state: Conversation = EMPTY;
  let now = 0;
  linesIn(bytes, (text) => {
    now += 1;
    for (const output of translator.message(JSON.parse(text))) {
      if (output.kind === 'live') state = foldAppend(state, output);
      else state = fold(state, { ...output, v: state.v + 1, at: now } as Change);
    }
    if (state.nextSeq - state.from > TRIM_AT) state = trim(state, KEPT);
  });
  return state;
}

/** Measured in CPU time of this process, so other processes do not count. */
function perSecond(lines: number, work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return lines / ((user + system) / 1e6);
}

export const driver: Benchmark = {
  name: 'driver',
  async run({ rounds, log }) {
    const load = machineLoad();
    const samples = new Samples();
    const { bytes, lines } = agentLines(TURNS);
    log(`${lines} lines, ${Math.round(bytes.length / 1024)} KB`);
    const { nextSeq, unrecognized } = throughFold(bytes);
    if (nextSeq < TURNS || unrecognized.count > 0) {
      throw new Error(`${nextSeq} entries, not known: ${JSON.stringify(unrecognized.kinds)}`);
    }
    for (let round = 0; round < rounds * 2; round++) {
      const parsed = perSecond(lines, () => linesIn(bytes, (text) => JSON.parse(text)));
      const folded = perSecond(lines, () => throughFold(bytes));
      samples.add('read as JSON alone', 'lines per second', parsed);
      samples.add('through driver and fold', 'lines per second', folded);
    }
    return {
      name: 'driver',
      about: 'lines of a tool-heavy session through driver and fold, per second of one core',
      series: samples.series(),
      judgements: [
        judge(
          '30,000 lines per second against throughput',
          GOAL / samples.median('through driver and fold'),
          1,
        ),
      ],
      load,
      rounds: rounds * 2,
    };
  },
};
