/** `CHANGELOG.md`, in the form of https://keepachangelog.com/en/1.1.0/. */

export const sections = ['Added', 'Changed', 'Deprecated', 'Removed', 'Fixed', 'Security'] as const;
type Section = (typeof sections)[number];

export interface Commit {
  readonly subject: string;
  /** The value of its trailer `Changelog:`, such as `fixed`; undefined if users need not know of it. */
  readonly trailer: string | undefined;
}

export type Entries = Readonly<Partial<Record<Section, readonly string[]>>>;

/** The entries of commits, oldest first, by the section that their trailer names. Throws on a section that does not exist. */
export const entriesOf = (commits: readonly Commit[]): Entries => {
  const found = new Map<Section, string[]>();
  for (const { subject, trailer } of commits) {
    if (trailer === undefined) continue;
    const section = sections.find((name) => name.toLowerCase() === trailer.toLowerCase());
    if (!section)
      throw new Error(`"${subject}" has the trailer "Changelog: ${trailer}"; use one of ${sections.join(', ').toLowerCase()}`);
    found.set(section, [...(found.get(section) ?? []), sentenceOf(subject)]);
  }
  return Object.fromEntries(sections.flatMap((name) => (found.has(name) ? [[name, found.get(name)]] : [])));
};

/** `restore: show what waits` becomes `Restore: show what waits.` */
const sentenceOf = (subject: string): string => `${subject.charAt(0).toUpperCase()}${subject.slice(1).replace(/\.?$/, '.')}`;

const headingOf = (version: string, date?: string): string => `## [${version}]${date ? ` - ${date}` : ''}`;

/** What the changelog says about one version, without its heading; undefined if it has no such section. */
export const releaseNotes = (changelog: string, version: string): string | undefined => {
  const start = changelog.indexOf(`\n${headingOf(version)}`);
  if (start < 0) return undefined;
  const body = changelog.indexOf('\n', start + 1);
  const end = changelog.indexOf('\n## [', body);
  return `${changelog.slice(body, end < 0 ? undefined : end).trim()}\n`;
};

/** The changelog with a section for a new version at the top; what was unreleased belongs to it. */
export const addRelease = (
  changelog: string,
  { version, date, entries }: { readonly version: string; readonly date: string; readonly entries: Entries },
): string => {
  if (releaseNotes(changelog, version) !== undefined) throw new Error(`CHANGELOG.md has a section for ${version} already`);
  const lines = Object.entries(entries).map(([name, texts]) => `### ${name}\n\n${texts.map((text) => `- ${text}\n`).join('')}`);
  if (lines.length === 0) throw new Error('no commit since the last release has a trailer "Changelog:": there is nothing to say');
  const at = changelog.indexOf('\n## [');
  const [head, tail] = at < 0 ? [changelog, ''] : [changelog.slice(0, at + 1), changelog.slice(at + 1)];
  return `${head}${headingOf(version, date)}\n\n${lines.join('\n')}\n${tail}`;
};
