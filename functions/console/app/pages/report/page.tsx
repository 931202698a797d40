import { type ReactNode, useState } from 'react';
import { usePermission } from '../../api/permission.ts';
import { type ProtectionReport, useProtectionPage, useProtectionReport, useSaveProtectionCsv } from '../../data/report.ts';
import { formatBytes, formatCount } from '../../format/format-number.ts';
import { NotTestedNotice, PeriodText, ReportFrame, usePeriod } from '../../parts/report/report-frame.tsx';
import { TestedProjects } from '../../parts/report/tested-projects.tsx';
import { Card } from '../../ui/data/card.tsx';
import { Fact } from '../../ui/data/fact.tsx';
import { Notice } from '../../ui/data/notice.tsx';
import { Time } from '../../ui/data/time.tsx';
import { Button } from '../../ui/form/button.tsx';
import { BackupTable, ChangeTable, FailureTable, RestoreTable, ScheduleTable, StorageTable } from './report-tables.tsx';

/** What an auditor asks of a period. */
export const ProtectionReportPage = () => {
  const { isAllowed, reason } = usePermission('admin');
  const period = usePeriod();
  const saveCsv = useSaveProtectionCsv(period);
  const { report, progress } = useProtectionReport(period, isAllowed);
  return (
    <ReportFrame
      title="Report"
      description="What ran, what failed, what was restored and by whom, what is proven, erased and changed."
      report={report}
      progress={progress}
      page={useProtectionPage(period, isAllowed)}
      fileName="protection.html"
      reason={reason}
      actions={
        <Button icon="download" busy={saveCsv.isPending} disabledReason={reason} onClick={() => saveCsv.mutate()}>
          CSV
        </Button>
      }
    >
      {(report) => <ReportView report={report} />}
    </ReportFrame>
  );
};

const ReportView = ({ report }: { readonly report: ProtectionReport }) => {
  const { backups, restores, restoreTests, erasures, removals, changes, retention, auditLogFrom, from, to } = report;
  const { summary, projects } = restoreTests;
  return (
    <>
      <NotTestedNotice summary={summary} />
      {auditLogFrom > from && (
        <Notice tone="info" title="The audit log does not reach back that far">
          Erasures, deletions and changes before <Time at={auditLogFrom} /> are not listed.
        </Notice>
      )}
      <Card title="Summary" description={<PeriodText subject="From" from={from} to={to} />}>
        <dl className="figures">
          <Outcome label="Backups completed" worked={backups.completed} failed={backups.failed} />
          <Outcome label="Restores completed" worked={restores.completed} failed={restores.failed} />
          <Outcome label="Restore tests passed" worked={summary.passed} failed={summary.failed} />
          <Fact label="Stored">{formatBytes(backups.addedBytes)}</Fact>
          <Fact label="Erasures">{formatCount(countOf(erasures))}</Fact>
          <Fact label="Lost or not locked">{formatCount(countOf(removals))}</Fact>
          <Fact label="Changes">{formatCount(countOf(changes))}</Fact>
        </dl>
      </Card>
      <Section
        title="Backups"
        note="Also those that the service made for itself, such as safety backups of restores."
        none="No project was connected in this period."
        list={{ items: backups.projects, omitted: 0 }}
      >
        {(rows) => <BackupTable rows={rows} />}
      </Section>
      <Section title="Failed backups" none="No backup failed in this period." list={backups.failures}>
        {(rows) => <FailureTable rows={rows} />}
      </Section>
      <Section title="Restores" none="Nothing was restored in this period." list={restores}>
        {(rows) => <RestoreTable rows={rows} />}
      </Section>
      <Section title="Restore tests" none="No project was connected in this period." list={{ items: projects, omitted: 0 }}>
        {(rows) => <TestedProjects projects={rows} />}
      </Section>
      <Section title="Erasures" none="Nothing was erased in this period." list={erasures}>
        {(rows) => <ChangeTable label="Erasures" rows={rows} />}
      </Section>
      <Section
        title="Deleted, damaged or not locked"
        none="No backup was deleted, found damaged or left without its lock."
        list={removals}
      >
        {(rows) => <ChangeTable label="Deleted, damaged or not locked" rows={rows} />}
      </Section>
      <Section title="Storage and locks now" none="There is no storage destination." list={retention.storage}>
        {(rows) => <StorageTable rows={rows} />}
      </Section>
      <Section title="Schedules and retention now" none="There is no schedule." list={retention.schedules}>
        {(rows) => <ScheduleTable rows={rows} />}
      </Section>
      <Section title="Changes of settings, members and keys" none="Nothing was changed in this period." list={changes}>
        {(rows) => <ChangeTable label="Changes" rows={rows} />}
      </Section>
    </>
  );
};

interface OutcomeProps {
  readonly label: string;
  readonly worked: number;
  readonly failed: number;
}

const Outcome = ({ label, worked, failed }: OutcomeProps) => (
  <Fact label={label}>
    {formatCount(worked)}
    {failed > 0 && <span className="figures__of bad"> {formatCount(failed)} failed</span>}
  </Fact>
);

interface Listed {
  readonly items: readonly unknown[];
  readonly omitted: number;
}

const countOf = ({ items, omitted }: Listed): number => items.length + omitted;

interface SectionProps<T> {
  readonly title: string;
  /** What the list has that a reader may not expect. */
  readonly note?: string;
  /** What an empty list means: for an auditor, that nothing happened is a finding, too. */
  readonly none: string;
  readonly list: { readonly items: readonly T[]; readonly omitted: number };
  readonly children: (rows: readonly T[]) => ReactNode;
}

/** More rows are shown on request: an organization may have thousands of projects. The page to print and the CSV file have all. */
const rowsMax = 100;

const Section = <T,>({ title, note, none, list: { items, omitted }, children }: SectionProps<T>) => {
  const [isWhole, setWhole] = useState(false);
  if (items.length === 0) return <Card title={title} description={none} />;
  return (
    <Card
      title={title}
      description={omitted > 0 ? `${formatCount(omitted)} more are not listed. Choose a shorter period for them.` : note}
      flush
    >
      {children(isWhole ? items : items.slice(0, rowsMax))}
      {!isWhole && items.length > rowsMax && (
        <div className="report__all">
          <Button size="small" onClick={() => setWhole(true)}>
            Show all {formatCount(items.length)}
          </Button>
        </div>
      )}
    </Card>
  );
};
