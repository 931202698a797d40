/** `npm run changelog`: adds the section of the version in package.json to CHANGELOG.md, from the commits since the one before. */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { version } from '../../../shared/contract/version.ts';
import { addRelease, type Commit, entriesOf } from './release-notes.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const file = `${root}CHANGELOG.md`;

const usage = `usage: npm run changelog -- [--since <commit>]

  What is under [Unreleased] becomes the section of the version, with a draft of an entry for each commit that users or operators see:
  its area ("test:" and other areas of our own are left out) and the verb of its subject decide, or a trailer such as "Changelog: fixed"
  or "Changelog: none". Sections: added, changed, deprecated, removed, fixed, security.
  --since  the first commit that is left out (default: the one that added the newest section)`;

const git = (...args: readonly string[]): string => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();

const newestSection = (changelog: string): string => {
  const heading = /^## \[\d[^\]]*\]/m.exec(changelog)?.[0];
  return heading ? git('log', '-1', '--format=%H', `-S${heading}`, '--', 'CHANGELOG.md') : '';
};

const commitsSince = (since: string): readonly Commit[] =>
  git('log', '--reverse', '--format=%s%x09%(trailers:key=Changelog,valueonly,separator=%x2C)', since ? `${since}..` : 'HEAD')
    .split('\n')
    .map((line) => line.split('\t'))
    .map(([subject = '', trailer = '']) => ({ subject, trailer: trailer.trim() || undefined }));

const main = (): void => {
  const { values } = parseArgs({ options: { since: { type: 'string' }, help: { type: 'boolean', short: 'h' } } });
  if (values.help) {
    console.log(usage);
    return;
  }
  const changelog = readFileSync(file, 'utf8');
  const entries = entriesOf(commitsSince(values.since ?? newestSection(changelog)));
  writeFileSync(file, addRelease(changelog, { version, date: new Date().toISOString().slice(0, 10), entries }));
  console.log(`CHANGELOG.md has a section for ${version}; edit it in the words of its readers`);
};

try {
  main();
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}
