import {
  checkWords,
  comparisonNames,
  differenceWords,
  durationNames,
  removalWords,
} from '../../../data/restore-test/restore-test-words.ts';
import { isUnfinished, type TestRun } from '../../../data/restore-test/restore-tests.ts';
import { formatCount, formatPlural } from '../../../format/format-number.ts';
import { formatDuration } from '../../../format/format-time.ts';
import { Badge } from '../../../ui/data/badge.tsx';
import { Card } from '../../../ui/data/card.tsx';
import { Fact } from '../../../ui/data/fact.tsx';
import { type Column, Table } from '../../../ui/data/table.tsx';

type Difference = TestRun['differences']['items'][number];
type ComparisonRow = NonNullable<TestRun['comparisons']>['index'] & { readonly name: string };

const comparisonColumns: readonly Column<ComparisonRow>[] = [
  { key: 'name', label: 'Compared with', isTitle: true, cell: ({ name }) => name },
  {
    key: 'result',
    label: 'Result',
    cell: ({ compared, differences }) => {
      if (!compared) return <Badge tone="warn">Not compared</Badge>;
      return differences === 0 ? <Badge tone="good">Equal</Badge> : <Badge tone="bad">Differs</Badge>;
    },
  },
  {
    key: 'documents',
    label: 'Documents',
    isNumber: true,
    cell: ({ compared, documents }) => (compared ? formatCount(documents) : '–'),
  },
  { key: 'reason', label: 'Remark', cell: ({ reason }) => reason ?? '–' },
];

const differenceColumns: readonly Column<Difference>[] = [
  { key: 'path', label: 'Document', isTitle: true, cell: ({ path }) => <code className="wrap-anywhere">{path}</code> },
  { key: 'kind', label: 'Difference', cell: ({ kind }) => differenceWords(kind) },
  {
    key: 'against',
    label: 'Compared with',
    cell: ({ kind, against }) => (kind === 'not_removed' ? 'Target after the test' : comparisonNames[against]),
  },
  { key: 'message', label: 'What', cell: ({ message }) => message },
];

/** What was compared, what differs, and how long each part took. */
export const RunResult = ({ run }: { readonly run: TestRun }) => {
  const { comparisons, differences, check, removal, durations, target } = run;
  // The notice at the top says why a test failed.
  const unlessTold = (message: string | null) => (message === run.error?.message ? null : message);
  const more = (message: string | null) => (unlessTold(message) ? `: ${message}` : '');
  const measured = Object.entries(durationNames).flatMap(([key, name]) => {
    const ms = durations[key as keyof typeof durations];
    return ms === null ? [] : [{ name, ms }];
  });
  // A test compares with its target, or without one with the source.
  const shown = ['index', target ? 'target' : 'source'] as const;
  const rows =
    comparisons &&
    shown.map((key) => ({ ...comparisons[key], name: comparisonNames[key], reason: unlessTold(comparisons[key].reason) }));
  return (
    <>
      {rows && (
        <Card title="Comparison" flush>
          <Table label="Comparisons" columns={comparisonColumns} rows={rows} rowKey={({ name }) => name} />
        </Card>
      )}
      {differences.total > 0 && (
        <Card
          title={formatPlural(differences.total, 'difference')}
          description={
            differences.total > differences.items.length ? `The first ${differences.items.length} are listed.` : undefined
          }
          flush
        >
          <Table
            label="Differences"
            columns={differenceColumns}
            rows={differences.items}
            rowKey={({ path, kind, against }) => `${path} ${kind} ${against}`}
          />
        </Card>
      )}
      {(measured.length > 0 || check || removal) && !isUnfinished(run) && (
        <Card title="Details">
          <dl className="facts">
            {measured.map(({ name, ms }) => (
              <Fact key={name} label={name}>
                {formatDuration(ms)}
              </Fact>
            ))}
            {check && (
              <Fact label="Answer of your check">
                {checkWords[check.status]}
                {more(check.message)}
              </Fact>
            )}
            {removal && (
              <Fact label="What the test wrote">
                {removalWords[removal.status]}
                {more(removal.message)}
              </Fact>
            )}
          </dl>
        </Card>
      )}
    </>
  );
};
