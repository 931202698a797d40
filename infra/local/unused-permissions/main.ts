/**
 * Part of `npm run check`: lists permissions of the template that no test run used, and fails unless each has a reason.
 * `RECORD_PERMISSIONS=1 npm run test:all` rewrites the record; with test files or folders as arguments it adds to the record.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { exceptions } from './exceptions.ts';
import { grantedLines, templateResources } from './granted.ts';
import { compare, type Report } from './report.ts';

const recordFile = fileURLToPath(new URL('used.txt', import.meta.url));

const linesOf = (text: string): readonly string[] => [...new Set(text.split('\n').filter(Boolean))].sort();

export const readRecord = (): readonly string[] => linesOf(readFileSync(recordFile, 'utf8'));

/** Merges the permissions a run used into the record. Only a run of all tests replaces the record. */
export const keepRecord = (seenFile: string, isWhole: boolean): void => {
  const seen = readFileSync(seenFile, 'utf8');
  writeFileSync(recordFile, `${linesOf(isWhole ? seen : seen + readFileSync(recordFile, 'utf8')).join('\n')}\n`);
};

const howTo = 'RECORD_PERMISSIONS=1 npm run test:all -- <the tests that use them>, or without arguments for all tests';

/** The lines to print; the last one is the summary. */
export const formatReport = ({ unused, stale, idle }: Report, granted: number): readonly string[] => [
  ...unused.map((line) => `granted, but never used by a test: ${line}`),
  ...idle.map(({ lines, reason }) => `exception that matches no unused permission: ${lines.source} (${reason})`),
  ...(unused.length > 0
    ? [`remove them, use them in a test (${howTo}), or add an exception in infra/local/unused-permissions/exceptions.ts`]
    : []),
  ...(stale.length > 0 ? [`recorded as used, but no longer granted: ${stale.join(', ')} (${howTo})`] : []),
  `permissions: ${granted} granted, ${granted - unused.length} used or excepted`,
];

const main = async (): Promise<void> => {
  const granted = grantedLines(await templateResources());
  const report = compare(granted, readRecord(), exceptions);
  console.log(formatReport(report, granted.length).join('\n'));
  if (report.unused.length > 0 || report.idle.length > 0) process.exitCode = 1;
};

if (import.meta.main) await main();
