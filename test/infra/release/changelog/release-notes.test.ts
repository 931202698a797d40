import { deepEqual, equal, match, ok, throws } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'vitest';
import { addRelease, entriesOf, releaseNotes, sections } from '../../../../infra/release/changelog/release-notes.ts';
import { version } from '../../../../shared/contract/version.ts';

const changelog = readFileSync(new URL('../../../../CHANGELOG.md', import.meta.url), 'utf8');

test('changelog: it has the form of Keep a Changelog, the newest version first, and a section for this version', () => {
  const headings = [...changelog.matchAll(/^## (.*)$/gm)].map(([, text = '']) => text);
  for (const heading of headings) match(heading, /^\[(Unreleased|\d+\.\d+\.\d+\] - \d{4}-\d{2}-\d{2})\]?$/);
  const versions = headings.flatMap((heading) => /^\[([\d.]+)\]/.exec(heading)?.[1] ?? []);
  const newestFirst = versions.toSorted((a, b) => b.localeCompare(a, 'en', { numeric: true }));
  deepEqual(versions, newestFirst);
  for (const [, name = ''] of changelog.matchAll(/^### (.*)$/gm)) ok((sections as readonly string[]).includes(name), name);
  ok((releaseNotes(changelog, version)?.length ?? 0) > 100);
});

test('changelog: what was unreleased belongs to the new version, before what commits add', () => {
  const before =
    '# Changelog\n\nWords.\n\n## [Unreleased]\n\n### Changed\n\n- One\n  in two lines.\n\n### Fixed\n\n- Two.\n\n## [1.0.0] - 2026-01-01\n\n### Added\n\n- All.\n';
  const after = addRelease(before, { version: '1.1.0', date: '2026-02-01', entries: { Added: ['Three.'], Fixed: ['Four.'] } });
  equal(
    after,
    '# Changelog\n\nWords.\n\n## [1.1.0] - 2026-02-01\n\n### Added\n\n- Three.\n\n### Changed\n\n- One\n  in two lines.\n\n' +
      '### Fixed\n\n- Two.\n- Four.\n\n## [1.0.0] - 2026-01-01\n\n### Added\n\n- All.\n',
  );
  // It is enough for a version of its own.
  ok(releaseNotes(addRelease(before, { version: '1.1.0', date: '2026-02-01', entries: {} }), '1.1.0')?.includes('- Two.'));
});

test('changelog: a commit without a trailer is judged by its area and its verb', () => {
  const commits = ['pitr: let a capture wait', 'console: mend a link', 'cli: print less', 'test: let it wait', 'no area'];
  deepEqual(entriesOf(commits.map((subject) => ({ subject, trailer: undefined }))), {
    Added: ['Pitr: let a capture wait.'],
    Changed: ['Cli: print less.'],
    Fixed: ['Console: mend a link.'],
  });
  deepEqual(entriesOf([{ subject: 'cli: print less', trailer: 'none' }]), {});
});

test('changelog: commits with a trailer become the section of a new version', () => {
  const entries = entriesOf([
    { subject: 'restore: show what waits', trailer: 'added' },
    { subject: 'test: a body', trailer: undefined },
    { subject: 'job: give up', trailer: 'Fixed' },
  ]);
  const before = '# Changelog\n\nWords.\n\n## [1.0.0] - 2026-01-01\n\n### Added\n\n- All.\n';
  const after = addRelease(before, { version: '1.1.0', date: '2026-02-01', entries });
  equal(
    after,
    '# Changelog\n\nWords.\n\n## [1.1.0] - 2026-02-01\n\n### Added\n\n- Restore: show what waits.\n\n### Fixed\n\n- Job: give up.\n\n' +
      '## [1.0.0] - 2026-01-01\n\n### Added\n\n- All.\n',
  );
  deepEqual(releaseNotes(after, '1.0.0'), '### Added\n\n- All.\n');
  equal(releaseNotes(after, '1.0'), undefined);
  throws(() => addRelease(after, { version: '1.1.0', date: '2026-02-01', entries }), /already/);
  throws(() => addRelease(before, { version: '1.2.0', date: '2026-02-01', entries: {} }), /nothing is unreleased/);
  throws(() => entriesOf([{ subject: 'a: b', trailer: 'improved' }]), /use none, added, changed/);
});
