import { useProjects } from '../../../data/projects.ts';
import { secondsWords } from '../../../data/restore-test/restore-test-words.ts';
import { type Report, useReport, useReportPage } from '../../../data/restore-test/restore-tests.ts';
import { endOfDay, isDay, startOfDay } from '../../../format/day-range.ts';
import { formatCount } from '../../../format/format-number.ts';
import { DayField } from '../../../parts/day-field.tsx';
import { TestedProjects } from '../../../parts/tested-projects.tsx';
import { paths } from '../../../paths.ts';
import { Card } from '../../../ui/data/card.tsx';
import { EmptyState } from '../../../ui/data/empty-state.tsx';
import { ErrorNotice } from '../../../ui/data/error-notice.tsx';
import { Fact } from '../../../ui/data/fact.tsx';
import { Notice } from '../../../ui/data/notice.tsx';
import { SkeletonText } from '../../../ui/data/skeleton.tsx';
import { Time } from '../../../ui/data/time.tsx';
import { Button } from '../../../ui/form/button.tsx';
import { Select } from '../../../ui/form/field.tsx';
import { RecordOptions } from '../../../ui/form/options.tsx';
import { PageHeader } from '../../../ui/layout/page-header.tsx';
import { PrintedPage } from '../../../ui/printed-page.tsx';
import { saveFile } from '../../../ui/save-file.ts';
import { useSearchParams } from '../../../use-search.ts';

/** All tests of a period. The period is part of the address. */
export const ReportPage = () => {
  const [{ from, to, projectId }, setSearch] = useSearchParams();
  const { items: projects } = useProjects();
  const query = {
    ...(isDay(from) && { from: startOfDay(from) }),
    ...(isDay(to) && { to: endOfDay(to) }),
    ...(projectId !== undefined && { projectId }),
  };
  const { data, error, refetch } = useReport(query);
  const { data: printed, error: notPrinted } = useReportPage(query);
  const whenReady = {
    busy: printed === undefined && !notPrinted,
    disabledReason: notPrinted && printed === undefined ? 'The page could not be made. Reload to try again.' : undefined,
  };
  return (
    <>
      <PageHeader
        title="Report"
        crumbs={[{ label: 'Restore tests', to: paths.restoreTests }]}
        description="What was proven in a period, and what was not tested at all. Without a period: the last 30 days."
        actions={
          <>
            <Button icon="download" {...whenReady} onClick={() => saveFile('restore-tests.html', String(printed), 'text/html')}>
              Save as a page
            </Button>
            <Button variant="primary" {...whenReady} onClick={() => window.print()}>
              Print
            </Button>
          </>
        }
      />
      {typeof printed === 'string' && <PrintedPage html={printed} />}
      <div className="stack">
        <search className="filters" aria-label="Period">
          <DayField label="From" name="from" day={from} onChange={(day) => setSearch({ from: day })} />
          <DayField label="To" name="to" day={to} onChange={(day) => setSearch({ to: day })} />
          <Select
            label="Project"
            value={projectId ?? ''}
            onChange={({ target }) => setSearch({ projectId: target.value || undefined })}
          >
            <option value="">All projects</option>
            <RecordOptions of={projects} />
          </Select>
        </search>
        {error && <ErrorNotice error={error} title="The report could not be made" onRetry={() => void refetch()} />}
        {!error && (typeof data === 'object' ? <ReportView report={data} /> : <SkeletonText lines={6} />)}
      </div>
    </>
  );
};

const ReportView = ({ report }: { readonly report: Report }) => {
  const { summary, projects, from, to } = report;
  const { rto } = summary;
  return (
    <>
      {summary.notTested > 0 && (
        <Notice
          tone="warn"
          title={`${formatCount(summary.notTested)} of ${formatCount(summary.projects)} projects ${summary.notTested === 1 ? 'was' : 'were'} not tested in this period`}
        >
          Nothing proves that their backups restore.
        </Notice>
      )}
      <Card
        title="Summary"
        description={
          <>
            Tests that began from <Time at={from} /> to <Time at={to} />
          </>
        }
      >
        <dl className="facts">
          <Fact label="Projects tested">{`${formatCount(summary.tested)} of ${formatCount(summary.projects)}`}</Fact>
          <Fact label="Tests passed">{passedWords(summary)}</Fact>
          {summary.notProven > 0 && <Fact label="Nothing written, not proven">{formatCount(summary.notProven)}</Fact>}
          <Fact label="Tests failed">{formatCount(summary.failed)}</Fact>
          <Fact label="Cancelled">{formatCount(summary.cancelled)}</Fact>
          <Fact label="Not finished">{formatCount(summary.unfinished)}</Fact>
          <Fact label="Backups and moments proven">{formatCount(summary.backupsProven)}</Fact>
          <Fact label="Recovery time">
            {rto ? `${secondsWords(rto.min)} to ${secondsWords(rto.max)}, median ${secondsWords(rto.median)}` : 'Not measured'}
          </Fact>
        </dl>
      </Card>
      <Card title="Projects" flush>
        {projects.length === 0 ? (
          <EmptyState icon="database" title="No projects">
            Connect a project to test its backups.
          </EmptyState>
        ) : (
          <TestedProjects projects={projects} />
        )}
      </Card>
    </>
  );
};

const passedWords = ({ passed, passedWithWarnings }: Report['summary']): string =>
  passedWithWarnings === 0 ? formatCount(passed) : `${formatCount(passed)}, ${formatCount(passedWithWarnings)} with warnings`;
