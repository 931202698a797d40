import type { ReactNode } from 'react';
import { usePermission } from '../../api/permission.ts';
import { type ProtectionReport, useProtectionPage, useProtectionReport, useSaveProtectionCsv } from '../../data/report.ts';
import { formatBytes, formatCount } from '../../format/format-number.ts';
import { NotTestedNotice, ReportFrame, usePeriod } from '../../parts/report/report-frame.tsx';
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
  return (
    <ReportFrame
      title="Report"
      description="What ran, what failed, what was restored and by whom, what is proven, erased and changed."
      report={useProtectionReport(period, isAllowed)}
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
      <Card
        title="Summary"
        description={
          <>
            From <Time at={from} /> to <Time at={to} />
          </>
        }
      >
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
      <Section title="Backups" none="There are no projects." list={{ items: backups.projects, omitted: 0 }}>
        <BackupTable rows={backups.projects} />
      </Section>
      <Section title="Failed backups" none="No backup failed in this period." list={backups.failures}>
        <FailureTable rows={backups.failures.items} />
      </Section>
      <Section title="Restores" none="Nothing was restored in this period." list={restores}>
        <RestoreTable rows={restores.items} />
      </Section>
      <Section title="Restore tests" none="There are no projects." list={{ items: projects, omitted: 0 }}>
        <TestedProjects projects={projects} />
      </Section>
      <Section title="Erasures" none="Nothing was erased in this period." list={erasures}>
        <ChangeTable label="Erasures" rows={erasures.items} />
      </Section>
      <Section
        title="Deleted, damaged or not locked"
        none="No backup was deleted, found damaged or left without its lock."
        list={removals}
      >
        <ChangeTable label="Deleted, damaged or not locked" rows={removals.items} />
      </Section>
      <Section title="Storage and locks now" none="There is no storage destination." list={retention.storage}>
        <StorageTable rows={retention.storage.items} />
      </Section>
      <Section title="Schedules and retention now" none="There is no schedule." list={retention.schedules}>
        <ScheduleTable rows={retention.schedules.items} />
      </Section>
      <Section title="Changes of settings, members and keys" none="Nothing was changed in this period." list={changes}>
        <ChangeTable label="Changes" rows={changes.items} />
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

interface SectionProps {
  readonly title: string;
  /** What an empty list means: for an auditor, that nothing happened is a finding, too. */
  readonly none: string;
  readonly list: Listed;
  readonly children: ReactNode;
}

const Section = ({ title, none, list, children }: SectionProps) =>
  list.items.length === 0 ? (
    <Card title={title}>
      <p className="muted">{none}</p>
    </Card>
  ) : (
    <Card
      title={title}
      description={
        list.omitted > 0 ? `${formatCount(list.omitted)} more are not listed. Choose a shorter period for them.` : undefined
      }
      flush
    >
      {children}
    </Card>
  );
