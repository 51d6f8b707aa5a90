/** The proposed title and text of a pull request: from its commits and the project's template. */
import { commitOf, type Repository } from '../git/repository.ts';

const TEMPLATES = [
  '.github/pull_request_template.md',
  '.github/PULL_REQUEST_TEMPLATE.md',
  'docs/pull_request_template.md',
  'pull_request_template.md',
  'PULL_REQUEST_TEMPLATE.md',
];
const MAX_COMMITS = 50;
const MAX_TITLE = 300;
const MAX_BODY = 60_000;

export async function pullText(
  repository: Repository,
  { base, branch }: { readonly base: string; readonly branch: string },
): Promise<{ title: string; body: string }> {
  const format = '--format=%s%x00%b%x01';
  const args = ['log', '--no-show-signature', '--no-merges', format, `--max-count=${MAX_COMMITS}`];
  const range = (await commitOf(repository, base)) === undefined ? [] : ['--not', base];
  const text = await repository.readText([...args, `refs/heads/${branch}`, ...range, '--']);
  const commits = text
    .split('\u0001')
    .map((one) => one.trim().split('\0'))
    .filter(([subject = '']) => subject !== '')
    .reverse();
  const template = await templateOf(repository, branch);
  const [only] = commits;
  const own =
    commits.length === 1 ? (only?.[1] ?? '').trim() : commits.map(([subject]) => `- ${subject}`).join('\n');
  const title = commits.length === 1 ? (only?.[0] ?? '') : titleOf(branch);
  return {
    title: title.slice(0, MAX_TITLE),
    body: [own, template].filter(Boolean).join('\n\n').slice(0, MAX_BODY),
  };
}

/** `me/fix-the-login` is “Fix the login”. */
function titleOf(branch: string): string {
  const words = branch
    .slice(branch.lastIndexOf('/') + 1)
    .replace(/[-_]+/g, ' ')
    .trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

async function templateOf(repository: Repository, branch: string): Promise<string> {
  for (const path of TEMPLATES) {
    const { code, stdout } = await repository.read(['cat-file', 'blob', `refs/heads/${branch}:${path}`], {
      answers: [128],
      maxBytes: 1024 * 1024,
    });
    if (code === 0) return stdout.toString('utf8').replaceAll('\0', '').trim();
  }
  return '';
}
