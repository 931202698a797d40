import type { ProtectionReport } from '../contract/models/protection-report.ts';
import { recoveryTimes } from '../contract/recovery-times.ts';

type Tests = ProtectionReport['restoreTests'];
type TestedProject = Tests['projects'][number];
type BackedUpProject = ProtectionReport['backups']['projects'][number];
type Counted = Pick<TestedProject, (typeof counted)[number]>;

const ended = ['completed', 'failed', 'cancelled', 'unfinished'] as const;
const counted = ['runs', 'passed', 'passedWithWarnings', 'notProven', 'failed', 'cancelled', 'unfinished'] as const;

/**
 * One report of periods that follow each other, the newest first. Storage and schedules are those of the newest; a list names the entries
 * that any of the reports names.
 */
export const joinReports = (reports: readonly [ProtectionReport, ...ProtectionReport[]]): ProtectionReport => {
  const [newest] = reports;
  const backups = reports.map((report) => report.backups);
  const restores = reports.map((report) => report.restores);
  return {
    ...newest,
    from: reports.at(-1)?.from ?? newest.from,
    backups: {
      ...sums(backups, [...ended, 'addedBytes']),
      projects: byProject(
        backups.flatMap(({ projects }) => projects),
        joinBackups,
      ),
      failures: joinLists(backups.map(({ failures }) => failures)),
    },
    restores: { ...sums(restores, ended), ...joinLists(restores) },
    restoreTests: joinTests(reports.map(({ restoreTests }) => restoreTests)),
    erasures: joinLists(reports.map(({ erasures }) => erasures)),
    removals: joinLists(reports.map(({ removals }) => removals)),
    changes: joinLists(reports.map(({ changes }) => changes)),
  };
};

const sums = <K extends string>(parts: readonly Readonly<Record<K, number>>[], names: readonly K[]): Record<K, number> =>
  Object.fromEntries(names.map((name) => [name, parts.reduce((sum, part) => sum + part[name], 0)])) as Record<K, number>;

interface List<T> {
  readonly items: readonly T[];
  readonly omitted: number;
}

const joinLists = <T>(lists: readonly List<T>[]): { items: T[]; omitted: number } => ({
  items: lists.flatMap(({ items }) => items),
  omitted: lists.reduce((sum, { omitted }) => sum + omitted, 0),
});

type Parts<T> = readonly [T, ...T[]];

/** By name, as in each of the reports. A project that was renamed since has its newest name. */
const byProject = <T extends { readonly projectId: string; readonly projectName: string }>(
  projects: readonly T[],
  join: (parts: Parts<T>) => T,
): T[] => {
  const groups = new Map<string, [T, ...T[]]>();
  for (const project of projects) {
    const group = groups.get(project.projectId);
    if (group) group.push(project);
    else groups.set(project.projectId, [project]);
  }
  return [...groups.values()]
    .map(join)
    .sort((a, b) => a.projectName.localeCompare(b.projectName, 'en') || (a.projectId < b.projectId ? -1 : 1));
};

const latest = (moments: readonly (string | null)[]): string | null =>
  moments
    .flatMap((moment) => moment ?? [])
    .sort()
    .at(-1) ?? null;

const joinBackups = (parts: Parts<BackedUpProject>): BackedUpProject => ({
  ...parts[0],
  ...sums(parts, [...ended, 'addedBytes', 'locked', 'lockIncomplete']),
  lastCompletedAt: latest(parts.map(({ lastCompletedAt }) => lastCompletedAt)),
  lockedUntil: latest(parts.map(({ lockedUntil }) => lockedUntil)),
});

const joinTests = (parts: readonly Tests[]): Tests => {
  const projects = byProject(
    parts.flatMap((part) => part.projects),
    joinTested,
  );
  const notTested = projects.filter(({ result }) => result === 'not_tested').length;
  return {
    summary: {
      projects: projects.length,
      tested: projects.length - notTested,
      notTested,
      failing: projects.filter(({ result }) => result === 'failed').length,
      ...sums(projects, [...counted, 'backupsProven']),
      rto: rtoOf(projects.flatMap(({ tests }) => tests)),
    },
    projects,
  };
};

const joinTested = (parts: Parts<TestedProject>): TestedProject => {
  const tests = parts.flatMap((part) => part.tests);
  const passed = tests.filter(({ status }) => status === 'passed');
  const proven = new Set(passed.map(({ pointInTime, backupId }) => pointInTime ?? backupId));
  return {
    ...parts[0],
    ...(sums(parts, counted) satisfies Counted),
    result: parts.find(({ result }) => result !== 'not_tested')?.result ?? 'not_tested',
    // Tests that a part only counts may have proven others; what two parts have proven counts once.
    backupsProven: Math.max(proven.size, ...parts.map(({ backupsProven }) => backupsProven)),
    rto: rtoOf(tests),
    lastTestedAt: latest(parts.map(({ lastTestedAt }) => lastTestedAt)),
    lastPassedAt: latest(parts.map(({ lastPassedAt }) => lastPassedAt)),
    tests,
    testsOmitted: parts.reduce((sum, { testsOmitted }) => sum + testsOmitted, 0),
  };
};

/** Of the listed tests. */
const rtoOf = (tests: TestedProject['tests']): TestedProject['rto'] =>
  recoveryTimes(tests.filter(({ status }) => status === 'passed').flatMap(({ rtoSeconds }) => rtoSeconds ?? []));
