/** Sections of a repository's settings that say how it is read and written. Any other can hold a credential. */
const openSections = new Set([
  'apply',
  'author',
  'branch',
  'commit',
  'committer',
  'core',
  'diff',
  'extensions',
  'feature',
  'fetch',
  'filter',
  'gc',
  'i18n',
  'index',
  'init',
  'log',
  'merge',
  'pull',
  'push',
  'rebase',
  'remote',
  'rerere',
  'status',
  'submodule',
  'user',
]);

/**
 * The text of a git configuration file without what can hold a credential: the user part of addresses, and the sections
 * `http`, `credential`, `url`, `include` and whatever is not known. Text without any of it comes back as it is.
 */
export function withoutCredentials(settings: string): string {
  let open = true;
  const lines = settings.split('\n').filter((line) => {
    const section = /^\s*\[\s*([\w.-]+)/.exec(line)?.[1];
    if (section !== undefined) open = openSections.has(section.split('.', 1)[0]?.toLowerCase() ?? '');
    return open;
  });
  const text = lines.join('\n').replaceAll(/(\b[\w+.-]+:\/\/)[^\s/"'@]*@/g, '$1');
  return settings.endsWith('\n') && !text.endsWith('\n') && text !== '' ? `${text}\n` : text;
}
