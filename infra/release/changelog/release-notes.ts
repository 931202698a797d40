/** `CHANGELOG.md`, in the form of https://keepachangelog.com/en/1.1.0/. */

export const sections = ['Added', 'Changed', 'Deprecated', 'Removed', 'Fixed', 'Security'] as const;
type Section = (typeof sections)[number];

export interface Commit {
  readonly subject: string;
  /** The value of its trailer `Changelog:`, such as `fixed`, or `none` if users need not know of it; undefined: its subject decides. */
  readonly trailer: string | undefined;
}

export type Entries = Readonly<Partial<Record<Section, readonly string[]>>>;

/** The areas of commits that users and operators do not see. */
const ownAreas =
  /^(tests?|.* tests?|bench|npm( run)? \w+|docs|readme|layout|law|names|files|all|deps|package|merge|bundle|stage|scale|functions|shared|stored-backup|recurring|openapi|Merge .*|Revert .*)$/;

/** What the first word after the area says about a change. */
const verbs: Readonly<Partial<Record<Section, RegExp>>> = {
  Added: /^(add|let|give|offer|support|allow|introduce)$/,
  Deprecated: /^deprecate$/,
  Removed: /^(remove|drop|withdraw)$/,
  Fixed: /^(fix|mend|repair|correct|no|never|do)$/,
};

/** The section of a commit; undefined if users need not know of it. Throws on a trailer that names no section. */
const sectionOf = ({ subject, trailer }: Commit): Section | undefined => {
  if (trailer === undefined) {
    const [, area = '', verb = ''] = /^([^:]+): (\S+)/.exec(subject) ?? [];
    if (area === '' || ownAreas.test(area)) return undefined;
    return sections.find((name) => verbs[name]?.test(verb)) ?? 'Changed';
  }
  if (trailer.toLowerCase() === 'none') return undefined;
  const section = sections.find((name) => name.toLowerCase() === trailer.toLowerCase());
  if (!section)
    throw new Error(`"${subject}" has the trailer "Changelog: ${trailer}"; use none, ${sections.join(', ').toLowerCase()}`);
  return section;
};

/** A draft of the entries of commits, oldest first: by their trailers, else by area and verb of their subjects. */
export const entriesOf = (commits: readonly Commit[]): Entries => {
  const found = new Map<Section, string[]>();
  for (const commit of commits) {
    const section = sectionOf(commit);
    if (section) found.set(section, [...(found.get(section) ?? []), sentenceOf(commit.subject)]);
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

const unreleased = /\n## \[Unreleased\]\n([\s\S]*?)(?=\n## \[|$)/;

/** The items that were written by hand, by their section. */
const unreleasedOf = (changelog: string): ReadonlyMap<string, string> => {
  const parts = (unreleased.exec(changelog)?.[1] ?? '').split(/^### /m).slice(1);
  return new Map(
    parts.map((part) => {
      const end = part.indexOf('\n');
      return [part.slice(0, end).trim(), `${part.slice(end).trim()}\n`];
    }),
  );
};

/** The changelog with a section for a new version at the top; what was unreleased belongs to it. */
export const addRelease = (
  changelog: string,
  { version, date, entries }: { readonly version: string; readonly date: string; readonly entries: Entries },
): string => {
  if (releaseNotes(changelog, version) !== undefined) throw new Error(`CHANGELOG.md has a section for ${version} already`);
  const written = unreleasedOf(changelog);
  const lines = sections.flatMap((name) => {
    const items = [written.get(name) ?? '', ...(entries[name] ?? []).map((text) => `- ${text}\n`)].join('');
    return items === '' ? [] : [`### ${name}\n\n${items}`];
  });
  if (lines.length === 0)
    throw new Error('nothing is unreleased, and no commit since the last release says what users should know');
  const rest = changelog.replace(unreleased, '');
  const at = rest.indexOf('\n## [');
  const [head, tail] = at < 0 ? [rest, ''] : [rest.slice(0, at + 1), rest.slice(at + 1)];
  return `${head}${headingOf(version, date)}\n\n${lines.join('\n')}\n${tail}`;
};
