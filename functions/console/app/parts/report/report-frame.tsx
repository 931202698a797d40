import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { partsOf } from '../../../../../shared/client/index.ts';
import { endOfDay, isDay, startOfDay } from '../../format/day-range.ts';
import { describeFailure } from '../../format/describe-failure.ts';
import { formatCount, formatPlural } from '../../format/format-number.ts';
import { ownTimeZone } from '../../format/format-time.ts';
import { sentence } from '../../format/sentence.ts';
import { ErrorNotice } from '../../ui/data/error-notice.tsx';
import { Notice } from '../../ui/data/notice.tsx';
import { SkeletonText } from '../../ui/data/skeleton.tsx';
import { Time } from '../../ui/data/time.tsx';
import { Button } from '../../ui/form/button.tsx';
import { type Crumb, PageHeader } from '../../ui/layout/page-header.tsx';
import { Segments } from '../../ui/layout/tabs.tsx';
import { PrintedPage } from '../../ui/printed-page.tsx';
import { saveFile } from '../../ui/save-file.ts';
import { useSearchParams } from '../../use-search.ts';
import { DayField } from '../day-field.tsx';
import { reportPresets } from './report-presets.ts';

/** The period that the address of the page names, as moments. */
export const usePeriod = (): { readonly from?: string; readonly to?: string } => {
  const [{ from, to }] = useSearchParams();
  return { ...(isDay(from) && { from: startOfDay(from) }), ...(isDay(to) && { to: endOfDay(to) }) };
};

interface ReportFrameProps<R extends object> {
  readonly title: string;
  readonly crumbs?: readonly Crumb[];
  readonly description: string;
  readonly report: UseQueryResult<R | string>;
  /** What is being read while there is no report yet. */
  readonly progress?: string | undefined;
  /** The same as the page that is printed and saved. */
  readonly page: UseQueryResult<R | string>;
  /** Name of the saved page. */
  readonly fileName: string;
  /** Why the person may not read it. */
  readonly reason?: string | undefined;
  /** Before those that save and print. */
  readonly actions?: ReactNode;
  /** Beside the period. */
  readonly filters?: ReactNode;
  readonly children: (report: R) => ReactNode;
}

/** A report of a period, which is part of the address. It can be printed and saved. */
export const ReportFrame = <R extends object>(props: ReportFrameProps<R>) => {
  const { title, crumbs = [], description, report, progress, page, fileName, reason, actions, filters, children } = props;
  const [{ from, to }, setSearch] = useSearchParams();
  const presets = reportPresets(new Date());
  const { data: printed, error: notPrinted } = page;
  const whenReady = {
    busy: reason === undefined && printed === undefined && !notPrinted,
    disabledReason: reason ?? (notPrinted && printed === undefined ? notPrintedReason(notPrinted) : undefined),
  };
  const wrongPeriod = report.error ? describeFailure(report.error).fields : [];
  return (
    <>
      <PageHeader
        title={title}
        crumbs={crumbs}
        description={description}
        actions={
          <>
            {actions}
            <Button icon="download" {...whenReady} onClick={() => saveFile(fileName, String(printed), 'text/html')}>
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
        <search className="report-period" aria-label="Period">
          <Segments
            label="Usual periods"
            value={presets.find((preset) => preset.from === from && preset.to === to)?.label ?? ''}
            options={presets.map(({ label }) => [label, label] as const)}
            onChange={(chosen) => {
              const preset = presets.find(({ label }) => label === chosen);
              setSearch({ from: preset?.from, to: preset?.to });
            }}
          />
          <div className="filters">
            <DayField label="From" name="from" day={from} onChange={(day) => setSearch({ from: day })} />
            <DayField label="To" name="to" day={to} onChange={(day) => setSearch({ to: day })} />
            {filters}
          </div>
        </search>
        {reason !== undefined && (
          <Notice tone="info" title="The report is for admins">
            {reason}
          </Notice>
        )}
        {wrongPeriod.length > 0 && (
          <Notice tone="warn" title="Choose another period">
            {wrongPeriod.map(({ field, reason: why }) => sentence(`${field} ${why}`)).join(' ')}
          </Notice>
        )}
        {report.error && wrongPeriod.length === 0 && (
          <ErrorNotice error={report.error} title="The report could not be made" onRetry={() => void report.refetch()} />
        )}
        {reason === undefined &&
          !report.error &&
          (typeof report.data === 'object' ? (
            children(report.data)
          ) : (
            <>
              <p className="muted" role="status">
                {progress}
              </p>
              <SkeletonText lines={8} />
            </>
          ))}
      </div>
    </>
  );
};

const notPrintedReason = (error: Error): string =>
  partsOf(error).length > 0
    ? 'This period is too long for one page. Choose a shorter one to save or print it.'
    : 'The page could not be made. Reload to try again.';

interface PeriodTextProps {
  /** What the period is about, up to its beginning: "Tests that began from". */
  readonly subject: string;
  readonly from: string;
  readonly to: string;
}

/** The page to print and the CSV file are the same for everybody: they have UTC. */
export const PeriodText = ({ subject, from, to }: PeriodTextProps) => (
  <>
    {subject} <Time at={from} /> to <Time at={to} />. Times are in {ownTimeZone()}; printed and saved reports use UTC.
  </>
);

interface NotTestedProps {
  readonly summary: { readonly notTested: number; readonly projects: number };
}

/** Shown if nothing proves the backups of some projects. */
export const NotTestedNotice = ({ summary: { notTested, projects } }: NotTestedProps) =>
  notTested > 0 && (
    <Notice
      tone="warn"
      title={`${formatCount(notTested)} of ${formatPlural(projects, 'project')} ${notTested === 1 ? 'was' : 'were'} not tested in this period`}
    >
      {notTested === 1 ? 'Nothing proves that its backups restore.' : 'Nothing proves that their backups restore.'}
    </Notice>
  );
