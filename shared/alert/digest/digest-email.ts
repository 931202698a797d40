import { formatBytes } from '../../contract/format-bytes.ts';
import {
  composeLetter,
  fitText,
  type Letter,
  type LetterBlock,
  type LetterPart,
  oneLine,
  utcMinute,
} from '../../platform/index.ts';
import type { DigestFacts } from './read-digest.ts';

type Project = DigestFacts['projects'][number];
type Line = readonly LetterPart[];

/** Of each list; the console shows all. */
const linesMax = 30;
/** In characters. */
const max = { name: 100, message: 300 } as const;

/** The weekly e-mail. `consoleUrl` is the root of the console. */
export const digestEmail = (digest: DigestFacts, organizationName: string, consoleUrl: string): Letter => {
  const { totals, projects, failedJobs, from, to } = digest;
  const exposed = projects.filter(({ protection }) => protection !== 'protected');
  const safe = projects.filter(({ protection }) => protection === 'protected');
  const upcoming = projects.filter(({ nextRun }) => nextRun).sort((a, b) => compare(a.nextRun?.at ?? '', b.nextRun?.at ?? ''));
  const verdict = verdictOf(totals);
  return composeLetter(`Weekly digest: ${verdict} (${nameOf(organizationName)})`, [
    ['The week from ', `${from} to ${to} (UTC) in the organization `, { name: nameOf(organizationName) }, `: ${verdict}.`],
    ...section('Not protected or at risk', exposed.map(exposedLine)),
    ...section('Protected', safe.map(safeLine)),
    { heading: 'This week' },
    { facts: weekFacts(digest) },
    ...(digest.complete ? [] : ['There are so many backups that the numbers of this week are not complete.']),
    ...section('Failed in the last 7 days until now', failedJobs.map(failedLine)),
    ...section('Verified and restored', projects.flatMap(provenLine)),
    ...section('Next backups', upcoming.map(upcomingLine)),
    { text: 'Open the overview', url: `${consoleUrl.replace(/\/$/, '')}/` },
    'You receive this e-mail every Monday, because an alert of this organization sends the weekly digest to you. Change this on the page Alerts of the console (PATCH /api/v1/alerts/{id} with digest false).',
  ]);
};

const verdictOf = ({ projects, atRisk, unprotected }: DigestFacts['totals']): string => {
  if (projects === 0) return 'there are no projects';
  const known = `${projects} ${projects === 1 ? 'project' : 'projects'}`;
  const are = (count: number): string => `${count} of ${known} ${count === 1 ? 'is' : 'are'}`;
  if (unprotected > 0) return `${are(unprotected)} not protected${atRisk > 0 ? `, ${atRisk} at risk` : ''}`;
  if (atRisk > 0) return `${are(atRisk)} at risk`;
  return projects === 1 ? 'the project is protected' : `all ${known} are protected`;
};

const section = (heading: string, lines: readonly Line[]): readonly LetterBlock[] => {
  if (lines.length === 0) return [];
  const rest = lines.length - linesMax;
  return [{ heading }, { list: [...lines.slice(0, linesMax), ...(rest > 0 ? [[`and ${rest} more`]] : [])] }];
};

const exposedLine = ({ name, protection, reasons, lastGoodBackupAt }: Project): Line => [
  { name: nameOf(name) },
  `: ${[
    protection === 'unprotected' ? 'unprotected' : 'at risk',
    ...reasons.map(({ message }) => messageOf(message)),
    ...(lastGoodBackupAt ? [`Last good backup: ${utcMinute(lastGoodBackupAt)}`] : []),
  ].join('. ')}.`,
];

const safeLine = ({ name, lastGoodBackupAt }: Project): Line => [
  { name: nameOf(name) },
  ...(lastGoodBackupAt ? [`: last good backup ${utcMinute(lastGoodBackupAt)}`] : []),
];

const weekFacts = ({ backups, storage, cost, failedJobs }: DigestFacts) => [
  { name: 'Backups made', value: String(backups.completed) },
  { name: 'Backups failed', value: String(backups.failed) },
  { name: 'Restores failed', value: String(failedJobs.filter(({ kind }) => kind === 'restore').length) },
  { name: 'Added', value: formatBytes(backups.addedBytes) },
  { name: 'Stored', value: `${formatBytes(storage.storedBytes)} (${changeOf(storage.changeBytes)})` },
  { name: 'Document reads', value: cost.reads.toLocaleString('en-US') },
  { name: 'Estimated Firestore cost', value: usdOf(cost.estimatedUsd) },
];

const changeOf = (bytes: number): string => {
  if (bytes === 0) return 'unchanged';
  return bytes > 0 ? `${formatBytes(bytes)} more` : `${formatBytes(-bytes)} less`;
};

const usdOf = (usd: number): string => (usd > 0 && usd < 0.01 ? 'less than $0.01' : `$${usd.toFixed(2)}`);

const failedLine = ({ kind, projectName, failedAt, error }: DigestFacts['failedJobs'][number]): Line => [
  `${utcMinute(failedAt)}: ${kind === 'backup' ? 'backup of' : 'restore into'} `,
  { name: nameOf(projectName ?? 'a deleted project') },
  `: ${messageOf(error?.message ?? 'unknown error')}`,
];

const provenLine = ({ name, lastVerification, lastRestoreTest, lastRestore }: Project): readonly Line[] => {
  const facts = [
    ...(lastVerification ? [`verification ${lastVerification.status} ${utcMinute(lastVerification.at)}`] : []),
    ...(lastRestoreTest ? [`restore tested ${utcMinute(lastRestoreTest.at)}`] : []),
    ...(lastRestore ? [`last restore ${lastRestore.status} ${utcMinute(lastRestore.completedAt ?? lastRestore.createdAt)}`] : []),
  ];
  return facts.length > 0 ? [[{ name: nameOf(name) }, `: ${facts.join(', ')}`]] : [];
};

const upcomingLine = ({ name, nextRun }: Project): Line => [
  ...(nextRun ? [`${utcMinute(nextRun.at)}: `] : []),
  { name: nameOf(name) },
];

const nameOf = (name: string): string => fitText(oneLine(name), max.name) || '–';
/** Without the full stop, which follows. */
const messageOf = (message: string): string => fitText(oneLine(message).replace(/\.$/, ''), max.message);
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
