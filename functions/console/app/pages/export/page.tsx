import { usePermission } from '../../api/permission.ts';
import { exportPhaseWords } from '../../data/export/export-words.ts';
import {
  type ExportJob,
  isExportActive,
  useCancelExport,
  useExport,
  useExportTimeline,
  useResumeExport,
} from '../../data/export/exports.ts';
import { jobEntries } from '../../data/job-words.ts';
import { PageFailure } from '../../frame/page-failure.tsx';
import { CancelJob } from '../../parts/job/cancel-job.tsx';
import { PartialNotice, UnknownCollections } from '../../parts/missing-names.tsx';
import { TimelineCard } from '../../parts/timeline-card.tsx';
import { paths } from '../../paths.ts';
import { Status } from '../../ui/data/badge.tsx';
import { ErrorNotice } from '../../ui/data/error-notice.tsx';
import { SkeletonText } from '../../ui/data/skeleton.tsx';
import { Button } from '../../ui/form/button.tsx';
import { ButtonLink } from '../../ui/form/button-link.tsx';
import { PageHeader } from '../../ui/layout/page-header.tsx';
import { useParam } from '../../use-param.ts';
import { exportAgain } from './export-again.ts';
import { ExportFacts } from './export-facts.tsx';
import { ExportFiles } from './export-files.tsx';
import { ExportOutcome } from './export-outcome.tsx';
import { ExportProgress } from './export-progress.tsx';

const crumb = { label: 'Exports', to: paths.exports };

export const ExportPage = () => {
  const { data, dataUpdatedAt, error, refetch } = useExport(useParam('exportId'));
  if (error && !data) return <PageFailure error={error} what="export" crumb={crumb} onRetry={() => void refetch()} />;
  if (!data)
    return (
      <>
        <PageHeader title="Export" crumbs={[crumb]} />
        <SkeletonText />
      </>
    );
  return (
    <>
      <PageHeader
        title={`Export of ${data.projectName}`}
        crumbs={[crumb]}
        badge={<Status status={data.status} />}
        actions={<ExportActions job={data} />}
      />
      <div className="stack">
        {error && <ErrorNotice error={error} title="The page is not up to date" onRetry={() => void refetch()} />}
        <ExportOutcome job={data} />
        {data.partial && <PartialNotice partial={data.partial} />}
        <UnknownCollections
          names={data.unknownCollections}
          count={data.unknownCollectionsCount}
          consequence={data.unknownCollectionsCount === 1 ? 'It is not exported.' : 'They are not exported.'}
        />
        {isExportActive(data) && <ExportProgress job={data} seenAt={dataUpdatedAt} />}
        {data.status === 'completed' && data.filesDeletedAt === null && <ExportFiles job={data} />}
        <ExportFacts job={data} />
        <ExportTimeline job={data} />
      </div>
    </>
  );
};

/** Cancel while it runs; afterwards resume it, if it can be, or start another one like it. */
const ExportActions = ({ job }: { readonly job: ExportJob }) => {
  const { reason } = usePermission('member');
  const cancel = useCancelExport(job.id);
  const resume = useResumeExport(job.id);
  if (isExportActive(job))
    return (
      <CancelJob what="export" reason={reason} isCancelling={job.cancelling} cancel={cancel}>
        It stops now, and the files that it has written are deleted. The backup stays as it is.
      </CancelJob>
    );
  const again = exportAgain(job);
  const isResumable = job.resumableUntil !== null;
  return (
    <>
      <ButtonLink
        variant={job.status === 'failed' && !isResumable ? 'primary' : 'secondary'}
        icon="refresh"
        to={again ?? paths.newExport()}
        disabledReason={
          reason ?? (again === undefined ? 'It names too much to be repeated by a click: start a new export' : undefined)
        }
      >
        Export again…
      </ButtonLink>
      {isResumable && (
        <Button variant="primary" disabledReason={reason} busy={resume.isPending} onClick={() => resume.mutate()}>
          Resume
        </Button>
      )}
    </>
  );
};

const ExportTimeline = ({ job }: { readonly job: ExportJob }) => {
  const { data } = useExportTimeline(job);
  return <TimelineCard entries={jobEntries(data?.entries, (name) => exportPhaseWords[name as ExportJob['phase']])} />;
};
