/**
 * The reader under a corpus of real size (issue: existing sessions): how long the server's event loop is held, what the
 * reader needs, how soon rows and appended lines are seen, what a search takes, how fast transcripts of 1, 15 and
 * 600 MB open. `TUGDECK_BENCH_SCALE` is the share of 10,000 transcripts, a tenth unless told.
 */
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { foreignId } from '@tugdeck/local/foreign-id';
import { searchSchema } from '@tugdeck/protocol/search/search';
import { askServer, findServer } from '@tugdeck/server/control/control-client';
import { waitFor } from '@tugdeck/testkit/process-facts';
import { COMMON, RARE, writeCorpus } from '@tugdeck/testkit/session-corpus';
import { installProbe } from '../kit/page-probe.ts';
import { Product } from '../kit/product.ts';
import { type Benchmark, judge, machineLoad, Samples } from '../kit/result.ts';

const MONITOR = fileURLToPath(new URL('loop-monitor.cjs', import.meta.url));
const MB = 1024 * 1024;
const QUERIES = [
  RARE,
  COMMON,
  'gar',
  'fence riv',
  'lantern',
  'carpet engine',
  'Done with 1',
  'zirc',
  'su',
  'Task 12',
];

export const reader: Benchmark = {
  name: 'reader',
  async run({ quick, log }) {
    const load = machineLoad();
    const samples = new Samples();
    const scale = Number(process.env.TUGDECK_BENCH_SCALE ?? (quick ? 0.01 : 0.1));
    const product = await Product.prepare();
    const loopFile = join(product.sandbox.root, 'loop');
    try {
      const largest = Math.max(20, 600 * Math.min(1, scale * 10));
      const corpus = writeCorpus({
        home: product.sandbox.home,
        directories: [product.sandbox.project, join(product.sandbox.project, 'inner')],
        claude: Math.round(10_000 * scale),
        codex: Math.round(2_000 * scale),
        large: [MB, 15 * MB, largest * MB],
      });
      log(`${corpus.files} files, ${Math.round(corpus.bytes / MB)} MB`);
      const environment = {
        NODE_OPTIONS: `--require ${MONITOR}`,
        TUGDECK_LOOP_FILE: loopFile,
        TUGDECK_LOOP_AFTER: join(product.data.ledger, 'server.json'),
      };
      const started = performance.now();
      await product.start(environment);
      const opened = await product.page(installProbe);
      await opened.page.locator('.session[data-origin="foreign"]').first().waitFor();
      samples.add('server started → first foreign row on the page', 'ms', performance.now() - started);

      const state = async () => {
        const server = findServer(product.data.ledger);
        const answer = server && (await askServer(server, { type: 'status' }));
        return answer?.type === 'status' ? answer.status.reader : undefined;
      };
      const whole = async () => {
        const now = await state();
        return now?.listed && now.files >= corpus.files && now.unread === 0 ? now : undefined;
      };
      const indexed = await waitFor(whole, { what: 'the index', timeoutMs: 3_600_000 });
      samples.add('index whole after', 's', (performance.now() - started) / 1000);
      samples.add('reader memory after indexing', 'MB', indexed.memory / MB);

      for (const { path, session, bytes } of corpus.large) {
        const at = performance.now();
        await opened.page.evaluate(
          (id) => {
            location.hash = `#/session/${id}`;
          },
          foreignId('claude', session),
        );
        await opened.page.locator('article[data-entry-kind="text"]:visible').last().waitFor();
        samples.add(`open ${Math.round(bytes / MB)} MB, to its last entry`, 'ms', performance.now() - at);
        if (bytes > 2 * MB) continue;
        const last = JSON.parse(readFileSync(path, 'utf8').trimEnd().split('\n').at(-1) ?? '{}');
        const line = {
          ...last,
          uuid: 'ffffffff-0000-4000-8000-000000000001',
          parentUuid: last.uuid,
          type: 'user',
        };
        const since = performance.now();
        appendFileSync(
          path,
          `${JSON.stringify({ ...line, message: { role: 'user', content: 'Appended now' } })}\n`,
        );
        await opened.page.getByText('Appended now').first().waitFor();
        samples.add('line appended → on the page', 'ms', performance.now() - since);
      }

      const server = findServer(product.data.ledger);
      for (let round = 0; round < 10 && server; round++) {
        for (const query of QUERIES) {
          const search = searchSchema.parse({ query, limit: 40 });
          const at = performance.now();
          await askServer(server, { type: 'search', search });
          samples.add('search', 'ms', performance.now() - at);
        }
      }
      await opened.close();
      await product.stop();
      await product.start(environment);
      const again = await waitFor(whole, { what: 'the index after a restart', timeoutMs: 600_000 });
      samples.add('files read again after a restart', 'files', again.read);
      const held = existsSync(loopFile) ? Number(readFileSync(loopFile, 'utf8')) : 0;
      samples.add("longest hold of the server's event loop", 'ms', held);
      return {
        name: 'reader',
        about: `sessions made elsewhere: ${corpus.files} files of ${Math.round(corpus.bytes / MB)} MB`,
        series: samples.series(),
        judgements: [
          judge("hold of the server's event loop, ms", held, 20),
          judge('memory of the reader, MB', indexed.memory / MB, 300),
          judge('appended line on the page, ms', samples.median('line appended → on the page'), 1_000),
          judge('search, p95, ms', samples.p95('search'), 50),
          judge('files read again after a restart', again.read, 2),
        ],
        load,
        rounds: 1,
      };
    } finally {
      await product.close();
    }
  },
};
