import { useProjects } from '../../../data/projects.ts';
import { secondsWords } from '../../../data/restore-test/restore-test-words.ts';
import { type Report, useReport, useReportPage } from '../../../data/restore-test/restore-tests.ts';
import { formatCount } from '../../../format/format-number.ts';
import { NotTestedNotice, PeriodText, ReportFrame, usePeriod } from '../../../parts/report/report-frame.tsx';
import { TestedProjects } from '../../../parts/report/tested-projects.tsx';
import { paths } from '../../../paths.ts';
import { Card } from '../../../ui/data/card.tsx';
import { EmptyState } from '../../../ui/data/empty-state.tsx';
import { Fact } from '../../../ui/data/fact.tsx';
import { Select } from '../../../ui/form/field.tsx';
import { RecordOptions } from '../../../ui/form/options.tsx';
import { useSearchParams } from '../../../use-search.ts';

/** All tests of a period. */
export const ReportPage = () => {
  const [{ projectId }, setSearch] = useSearchParams();
  const { items: projects } = useProjects();
  const query = { ...usePeriod(), ...(projectId !== undefined && { projectId }) };
  return (
    <ReportFrame
      title="Report"
      crumbs={[{ label: 'Restore tests', to: paths.restoreTests }]}
      description="What was proven in a period, and what was not tested at all."
      report={useReport(query)}
      page={useReportPage(query)}
      fileName="restore-tests.html"
      filters={
        <Select
          label="Project"
          value={projectId ?? ''}
          onChange={({ target }) => setSearch({ projectId: target.value || undefined })}
        >
          <option value="">All projects</option>
          <RecordOptions of={projects} />
        </Select>
      }
    >
      {(report) => <ReportView report={report} />}
    </ReportFrame>
  );
};

const ReportView = ({ report }: { readonly report: Report }) => {
  const { summary, projects, from, to } = report;
  const { rto } = summary;
  return (
    <>
      <NotTestedNotice summary={summary} />
      <Card title="Summary" description={<PeriodText subject="Tests that began from" from={from} to={to} />}>
        <dl className="figures">
          <Fact label="Projects tested">
            {formatCount(summary.tested)}
            <span className="figures__of"> of {formatCount(summary.projects)}</span>
          </Fact>
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
          <EmptyState icon="database" title="No project was connected in this period">
            Choose a later period.
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
