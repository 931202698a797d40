import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { usePermission } from '../../../api/permission.ts';
import {
  failureAdvice,
  foundNothing,
  phaseWords,
  pickWords,
  scopeWords,
  secondsWords,
} from '../../../data/restore-test/restore-test-words.ts';
import {
  isUnfinished,
  type TestRun,
  useCancelRun,
  useRunRestoreTest,
  useTestRun,
} from '../../../data/restore-test/restore-tests.ts';
import { formatBytes, formatCount, formatPlural } from '../../../format/format-number.ts';
import { sentence } from '../../../format/sentence.ts';
import { BackUpDialog } from '../../../forms/back-up/back-up-dialog.tsx';
import { PageFailure } from '../../../frame/page-failure.tsx';
import { paths } from '../../../paths.ts';
import { Status } from '../../../ui/data/badge.tsx';
import { Card } from '../../../ui/data/card.tsx';
import { Fact } from '../../../ui/data/fact.tsx';
import { Notice } from '../../../ui/data/notice.tsx';
import { Progress } from '../../../ui/data/progress.tsx';
import { SkeletonText } from '../../../ui/data/skeleton.tsx';
import { Time } from '../../../ui/data/time.tsx';
import { Button } from '../../../ui/form/button.tsx';
import { ButtonLink } from '../../../ui/form/button-link.tsx';
import { PageHeader } from '../../../ui/layout/page-header.tsx';
import { ConfirmDialog } from '../../../ui/overlay/confirm-dialog.tsx';
import { useParam } from '../../../use-param.ts';
import { EvidenceCard } from './evidence-card.tsx';
import { RunResult } from './run-result.tsx';

const crumb = { label: 'Restore tests', to: paths.restoreTests };

export const RunPage = () => {
  const { data: run, error, refetch } = useTestRun(useParam('runId'));
  if (error && !run) return <PageFailure error={error} what="run" crumb={crumb} onRetry={() => void refetch()} />;
  if (!run) return <SkeletonText lines={5} />;
  return (
    <>
      <PageHeader
        title={`Test of ${run.projectName}`}
        crumbs={[crumb, { label: run.name, to: paths.restoreTest(run.restoreTestId) }]}
        badge={<Status status={run.status} />}
        description={
          <>
            Began <Time at={run.createdAt} relative />, {run.trigger === 'manual' ? 'started by hand' : 'as planned'}
          </>
        }
        actions={isUnfinished(run) && <CancelAction run={run} />}
      />
      <div className="stack">
        {run.error && run.status === 'failed' && (
          <Notice tone="bad" title={failureTitle(run)} actions={<NextSteps run={run} code={run.error.code} />}>
            {!(foundNothing(run) && run.backup.pick === 'latest') && <p>{sentence(run.error.message)}</p>}
            <p>{failureAdvice(run)}</p>
          </Notice>
        )}
        {run.error && run.status !== 'failed' && <Notice tone="info" title={run.error.message} />}
        {run.warnings.length > 0 && (
          <Notice tone="warn" title="What this test does not prove">
            <ul className="stack stack--tight">
              {run.warnings.map(({ code, message }) => (
                <li key={code}>{message}</li>
              ))}
            </ul>
          </Notice>
        )}
        {isUnfinished(run) && <RunProgress run={run} />}
        <Tested run={run} />
        <RunResult run={run} />
        {(run.status === 'passed' || run.status === 'failed') && run.startedAt !== null && <EvidenceCard run={run} />}
      </div>
    </>
  );
};

const failureTitle = (run: TestRun): string => {
  if (!foundNothing(run)) return 'The test failed';
  return run.backup.pick === 'moment' ? 'There was no moment to test' : 'There was no completed backup to test';
};

interface NextStepsProps {
  readonly run: TestRun;
  readonly code: string;
}

/** Of a failed test: what lies behind it, and the test again, on the backup that its plan chooses now. */
const NextSteps = ({ run, code }: NextStepsProps) => {
  const { backupId, restoreJobId, projectId, restoreTestId: id, name } = run;
  const [isBackingUp, setBackingUp] = useState(false);
  const again = useRunRestoreTest({ id, name });
  const navigate = useNavigate();
  const { reason } = usePermission('member');
  const isMissing = foundNothing(run);
  const isSource = code === 'SOURCE_AUTH_ERROR';
  return (
    <>
      {code === 'CLEANUP_FAILED' && restoreJobId !== null && (
        <ButtonLink to={paths.restore(restoreJobId)}>Show the restore</ButtonLink>
      )}
      {isSource && <ButtonLink to={paths.project(projectId, 'settings')}>Reconnect the source</ButtonLink>}
      {isMissing && run.backup.pick === 'moment' && (
        <ButtonLink to={paths.project(projectId, 'point-in-time')}>Point-in-time recovery</ButtonLink>
      )}
      {isMissing && run.backup.pick !== 'moment' && (
        <Button variant="primary" icon="archive" disabledReason={reason} onClick={() => setBackingUp(true)}>
          Back up now
        </Button>
      )}
      {isBackingUp && <BackUpDialog projectId={projectId} isFixed onClose={() => setBackingUp(false)} />}
      {!isSource && backupId !== null && <ButtonLink to={paths.backup(backupId)}>Examine the backup</ButtonLink>}
      <Button
        icon="play"
        busy={again.isPending}
        disabledReason={reason}
        onClick={() =>
          again.mutate(undefined, {
            onSuccess: ({ runs, runId }) =>
              void navigate({ to: runs.length === 1 ? paths.restoreTestRun(runId) : paths.restoreTest(id) }),
          })
        }
      >
        Test again
      </Button>
    </>
  );
};

const CancelAction = ({ run }: { readonly run: TestRun }) => {
  const [isOpen, setOpen] = useState(false);
  const cancel = useCancelRun(run.id);
  const { reason } = usePermission('member');
  return (
    <>
      <Button variant="quiet-danger" disabledReason={reason} onClick={() => setOpen(true)}>
        Cancel the test…
      </Button>
      <ConfirmDialog
        open={isOpen}
        onClose={() => setOpen(false)}
        title="Cancel this test?"
        action="Cancel the test"
        dismiss="Keep it running"
        mutation={cancel}
        onConfirm={() => cancel.mutate(undefined, { onSuccess: () => setOpen(false) })}
      >
        <p>What it wrote to its target is removed first. A cancelled test proves nothing and has no evidence.</p>
      </ConfirmDialog>
    </>
  );
};

const RunProgress = ({ run: { status, phase, progress, startedAt } }: { readonly run: TestRun }) => (
  <Card title={phaseWords[phase]}>
    <Progress label={phaseWords[phase]} percent={status === 'pending' ? undefined : progress.percent} since={startedAt} />
    <div className="row row--spread small secondary number">
      {progress.totalDocuments !== null && (
        <span>
          {formatCount(progress.documents)} of {formatCount(progress.totalDocuments)} documents
        </span>
      )}
    </div>
  </Card>
);

const Tested = ({ run }: { readonly run: TestRun }) => {
  const { counts, backupId, pointInTime, target, rtoSeconds, documentsWritten } = run;
  return (
    <Card title={foundNothing(run) ? 'What was to be tested' : 'What was tested'}>
      <dl className="facts">
        <Fact label="Chosen">{pickWords(run.backup)}</Fact>
        <Fact label="Backup">{backupId === null ? '–' : <Link to={paths.backup(backupId)}>{backupId}</Link>}</Fact>
        {pointInTime && (
          <Fact label="Moment">
            <Time at={pointInTime} />
          </Fact>
        )}
        <Fact label="How much">{scopeWords(run.scope)}</Fact>
        <Fact label="Target">{target?.projectName ?? 'None: the archive is read'}</Fact>
        <Fact label="Documents">{counts ? `${formatCount(counts.documents)} (${formatBytes(counts.bytes)})` : '–'}</Fact>
        {target && (
          <Fact label="Written to the target">
            {documentsWritten === null ? '–' : formatPlural(documentsWritten, 'document')}
          </Fact>
        )}
        <Fact label="Recovery time">{rtoSeconds === null ? 'Not measured: nothing was restored' : secondsWords(rtoSeconds)}</Fact>
      </dl>
    </Card>
  );
};
