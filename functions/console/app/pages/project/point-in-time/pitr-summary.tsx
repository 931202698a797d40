import { useState } from 'react';
import { usePermission } from '../../../api/permission.ts';
import { type Pitr, type Project, useDisablePitr } from '../../../data/projects.ts';
import { formatAboutUsd, formatCount, formatPlural } from '../../../format/format-number.ts';
import { Status } from '../../../ui/data/badge.tsx';
import { Card } from '../../../ui/data/card.tsx';
import { EmptyState } from '../../../ui/data/empty-state.tsx';
import { Fact } from '../../../ui/data/fact.tsx';
import { Notice } from '../../../ui/data/notice.tsx';
import { TextWithTimes } from '../../../ui/data/text-with-times.tsx';
import { Time } from '../../../ui/data/time.tsx';
import { Button } from '../../../ui/form/button.tsx';
import { ConfirmDialog } from '../../../ui/overlay/confirm-dialog.tsx';
import { PitrDialog } from './pitr-dialog.tsx';

/** State, problem and settings of point-in-time recovery. */
export const PitrSummary = ({ project, pitr }: { readonly project: Project; readonly pitr: Pitr }) => {
  const [dialog, setDialog] = useState<'settings' | 'disable'>();
  const disable = useDisablePitr(project.id);
  const { reason } = usePermission('member');
  const close = (): void => setDialog(undefined);
  const openSettings = (): void => setDialog('settings');
  const enable = (
    <Button variant="primary" disabledReason={reason} onClick={openSettings}>
      Enable…
    </Button>
  );
  if (!pitr.enabled && pitr.latestRestorableAt === null)
    return (
      <Card>
        <EmptyState icon="clock" title="Go back to any second" actions={enable}>
          Point-in-time recovery stores every change. After a mistake you restore the state of the second before it, down to a
          single document.
        </EmptyState>
        {dialog === 'settings' && <PitrDialog project={project} pitr={pitr} onClose={close} />}
      </Card>
    );
  return (
    <Card
      title="Capturing"
      actions={
        pitr.enabled ? (
          <>
            <Button disabledReason={reason} onClick={openSettings}>
              Settings…
            </Button>
            <Button variant="quiet-danger" disabledReason={reason} onClick={() => setDialog('disable')}>
              Disable…
            </Button>
          </>
        ) : (
          enable
        )
      }
    >
      <div className="stack">
        {pitr.problem && (
          <Notice tone="warn" title="Not everything is captured">
            <TextWithTimes text={pitr.problem} />.
          </Notice>
        )}
        {pitr.audit?.problem && (
          <Notice title="The audit waits">
            <TextWithTimes text={pitr.audit.problem} />.
          </Notice>
        )}
        {pitr.status === 'starting' && (
          <Notice title="The base backup is being made">
            Moments from its read time on can be restored once it is complete.
          </Notice>
        )}
        {!pitr.enabled && pitr.latestRestorableAt && (
          <Notice title="Changes are no longer captured">
            What was captured stays restorable for {formatPlural(pitr.retentionDays, 'day')}.
          </Notice>
        )}
        <dl className="facts">
          <Fact label="Status">
            <Status status={pitr.status} />
          </Fact>
          <Fact label="Precision">
            {pitr.precision === 'second' ? 'Every second' : `Every ${formatCount(pitr.captureIntervalSeconds)} s`}
          </Fact>
          <Fact label="Kept for">{formatPlural(pitr.retentionDays, 'day')}</Fact>
          <Fact label="Restorable from">
            <Time at={pitr.earliestRestorableAt} />
          </Fact>
          <Fact label="Restorable until">
            <Time at={pitr.latestRestorableAt} relative />
          </Fact>
          <Fact label="Changes captured">{formatCount(pitr.changesCaptured)}</Fact>
          <Fact label="Audited in full every">{formatPlural(pitr.auditDays, 'day')}</Fact>
          {pitr.audit && (
            <>
              <Fact label="Oldest part audited">
                <Time at={pitr.audit.auditedSince} relative />
              </Fact>
              <Fact label="Found by the audit">
                {pitr.audit.differences === 0 ? 'No difference' : formatPlural(pitr.audit.differences, 'difference')}
              </Fact>
            </>
          )}
          <Fact label="Reads so far">
            {formatCount(pitr.cost.reads)} ({formatAboutUsd(pitr.cost.estimatedUsd)})
          </Fact>
        </dl>
      </div>
      {dialog === 'settings' && <PitrDialog project={project} pitr={pitr} onClose={close} />}
      <ConfirmDialog
        open={dialog === 'disable'}
        onClose={close}
        title="Disable point-in-time recovery?"
        typed={project.name}
        action="Disable"
        mutation={disable}
        onConfirm={() => disable.mutate(undefined, { onSuccess: close })}
      >
        <p>
          Changes from now on are not captured: you can go back to them only with a backup. What was captured stays restorable for{' '}
          {formatPlural(pitr.retentionDays, 'day')}. Enabling it again leaves a gap in between.
        </p>
      </ConfirmDialog>
    </Card>
  );
};
