/**
 * Part of `npm run check`: says which permissions of the template no test run has ever used, and fails unless a reason is written.
 * `RECORD_PERMISSIONS=1 npm test` makes the record anew; with files or folders named, what they use is added to it.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { kept } from './exceptions.ts';
import { grantedLines, templateResources } from './granted.ts';
import { compare, type Report } from './report.ts';

const recordFile = fileURLToPath(new URL('used.txt', import.meta.url));

const linesOf = (text: string): readonly string[] => [...new Set(text.split('\n').filter(Boolean))].sort();

export const readRecord = (): readonly string[] => linesOf(readFileSync(recordFile, 'utf8'));

/** Takes what a run used into the record; only a run of all tests may leave out what it did not see. */
export const keepRecord = (seenFile: string, isWhole: boolean): void => {
  const seen = readFileSync(seenFile, 'utf8');
  writeFileSync(recordFile, `${linesOf(isWhole ? seen : seen + readFileSync(recordFile, 'utf8')).join('\n')}\n`);
};

const howTo = 'RECORD_PERMISSIONS=1 npm test -- <the tests that use them>, or all of them without a name';

/** What a person is told; the last word is whether all is well. */
export const tell = ({ unused, stale, idle }: Report, granted: number): readonly string[] => [
  ...unused.map((line) => `granted, but never used by a test: ${line}`),
  ...idle.map(({ lines, reason }) => `a reason that no unused permission needs: ${lines.source} (${reason})`),
  ...(unused.length > 0
    ? [`take them away, have a test use them (${howTo}), or say why in infra/local/unused-permissions/exceptions.ts`]
    : []),
  ...(stale.length > 0 ? [`no longer granted, though the record of what is used has them: ${stale.join(', ')} (${howTo})`] : []),
  `permissions: ${granted} granted, ${granted - unused.length} used or accounted for`,
];

const main = async (): Promise<void> => {
  const granted = grantedLines(await templateResources());
  const report = compare(granted, readRecord(), kept);
  console.log(tell(report, granted.length).join('\n'));
  if (report.unused.length > 0 || report.idle.length > 0) process.exitCode = 1;
};

if (import.meta.main) await main();
