/**
 * The keys of a repository's configuration that git may see. Deny by default: a key that is not listed is treated as
 * one that runs a program or names a path, which also covers keys of later git versions. Decision 0193 explains each
 * group.
 */

/** Keys that define how the repository's files are read. For reads, git sees only these. */
const FOR_READS = [
  'core\\.(repositoryformatversion|filemode|symlinks|ignorecase|precomposeunicode|protecthfs|protectntfs)',
  'core\\.(autocrlf|eol|safecrlf|checkstat|trustctime|whitespace|longpaths|checkroundtripencoding)',
  'core\\.(sparsecheckout|sparsecheckoutcone|commitgraph|multipackindex|preloadindex|ignorestat)',
  'index\\.sparse',
  'extensions\\.(objectformat|compatobjectformat|refstorage|noop|noop-v1|preciousobjects|relativeworktrees)',
  'branch\\..+\\.(remote|merge|pushremote|rebase)',
  'remote\\..+\\.fetch',
  '(user|author|committer)\\.(name|email)',
  'i18n\\.(commitencoding|logoutputencoding)',
  'diff\\.(algorithm|renames|renamelimit|indentheuristic)',
  'status\\.(renames|renamelimit|aheadbehind)',
];

/** Keys that run nothing and read no other file, in any of our commands. */
const INERT = [
  ...FOR_READS,
  'core\\.(bare|logallrefupdates|sharedrepository|hidedotfiles|compression|loosecompression|bigfilethreshold)',
  'core\\.(abbrev|commentchar|commentstring|fscache|fsync|fsyncmethod|fsyncobjectfiles|untrackedcache|splitindex)',
  'core\\.(quotepath|warnambiguousrefs|createobject|deltabasecachelimit|usereplacerefs)',
  'extensions\\.(worktreeconfig|partialclone)',
  'branch\\.(autosetupmerge|autosetuprebase|sort)',
  'branch\\..+\\.(description|vscode-merge-base|gh-merge-base|github-pr-owner-number)',
  'remote\\..+\\.(url|pushurl|push|prune|prunetags|tagopt|mirror|promisor|partialclonefilter|skipdefaultupdate)',
  'remote\\..+\\.(skipfetchall|gh-resolved)',
  'remote\\.pushdefault',
  'submodule\\.(active|recurse|fetchjobs)',
  'submodule\\..+\\.(url|active|ignore|branch|fetchrecursesubmodules)',
  '(user|author|committer)\\.(useconfigonly|signingkey)',
  'index\\.(version|threads|skiphash|recordendofindexentries|recordoffsettable)',
  'feature\\.(manyfiles|experimental)',
  'commit\\.(gpgsign|cleanup|status|verbose)',
  'tag\\.(gpgsign|forcesignannotated|sort)',
  'merge\\.(ff|conflictstyle|renames|renamelimit|directoryrenames|renormalize|log|stat|autostash)',
  'pull\\.(rebase|ff)',
  'push\\.(default|followtags|autosetupremote|gpgsign|useforceifincludes)',
  'fetch\\.(prune|prunetags|parallel|writecommitgraph|showforcedupdates|recursesubmodules)',
  'rebase\\.(autosquash|autostash|updaterefs|backend|stat|missingcommitscheck)',
  'rerere\\.(enabled|autoupdate)',
  'stash\\.(showincludeuntracked|showpatch|showstat)',
  'status\\.(branch|short|showstash|showuntrackedfiles|relativepaths|submodulesummary)',
  'diff\\.(context|interhunkcontext|colormoved|colormovedws|mnemonicprefix|noprefix|ignoresubmodules|submodule)',
  'log\\.(date|decorate|abbrevcommit|follow|showroot)',
  'checkout\\.(defaultremote|guess|workers|thresholdforparallelism)',
  '(color|advice|column|gui|gitk|gitflow)\\..+',
  'gc\\.(auto|autodetach|autopacklimit|pruneexpire|reflogexpire|reflogexpireunreachable|worktreepruneexpire)',
  'maintenance\\.(auto|strategy)',
  'pack\\.(threads|window|windowmemory|depth|compression|indexversion|writebitmaphashcache)',
  'worktree\\.guessremote',
  'lfs\\.repositoryformatversion',
  'lfs\\..+\\.(access|locksverify)',
];

const READABLE = exactly(FOR_READS);
const HARMLESS = exactly(INERT);

/** Whether git sees the key on a read. `key` is in git's listing format: section and name in lowercase. */
export function isReadable(key: string): boolean {
  return READABLE.test(key);
}

/** Whether the key can neither run a program nor name a file, so that changes are allowed without trust. */
export function isHarmless(key: string): boolean {
  return HARMLESS.test(key);
}

/** Repository formats that this git version may not know; a repository with an unlisted one is not read. */
export function isUnknownExtension(key: string, value: string | undefined): boolean {
  if (!key.startsWith('extensions.')) return false;
  // Any other value could name a reference store elsewhere, by URL.
  if (key === 'extensions.refstorage') return !/^(files|reftable)$/.test(value ?? '');
  return !isHarmless(key);
}

function exactly(patterns: readonly string[]): RegExp {
  return new RegExp(`^(?:${patterns.join('|')})$`, 's');
}
