import { useMemo, useState } from 'react';
import type { KnownVersion } from '../../../../../shared/client/index.ts';
import { usePermission } from '../../api/permission.ts';
import type { LocatedDocument } from '../../data/documents.ts';
import { type RestoreBody, useRestorePlan } from '../../data/restores.ts';
import { ConfirmRestore } from '../../parts/confirm-restore.tsx';
import { IdleNotice, isIdle, PlanView } from '../../parts/plan-view.tsx';
import { Card } from '../../ui/data/card.tsx';
import { ErrorNotice } from '../../ui/data/error-notice.tsx';
import { Notice } from '../../ui/data/notice.tsx';
import { Progress } from '../../ui/data/progress.tsx';
import { Checkbox } from '../../ui/form/field.tsx';

interface RestoreVersionProps {
  readonly located: LocatedDocument;
  readonly version: KnownVersion;
}

/** The plan of one document, made at once, and one button that starts exactly it. */
export const RestoreVersion = ({ located: { path, projectId, projectName }, version: { source } }: RestoreVersionProps) => {
  const { reason } = usePermission('member');
  const [isDeep, setDeep] = useState(false);
  const body = useMemo(
    (): RestoreBody => ({
      ...source,
      targetProjectId: projectId,
      documentIds: [path ?? ''],
      options: { mergeMode: 'overwrite', includeSubcollections: isDeep, safetyBackup: true },
    }),
    [source, projectId, path, isDeep],
  );
  const { plan, error, replan } = useRestorePlan(reason === undefined ? body : undefined);
  return (
    <Card title="What a restore would do">
      <div className="stack">
        {reason ? (
          <Notice title="You cannot start a restore">{reason}</Notice>
        ) : error ? (
          <ErrorNotice error={error} title="The plan could not be made" onRetry={replan} />
        ) : plan ? (
          isIdle(plan) ? (
            <IdleNotice targetName={projectName} />
          ) : (
            <PlanView plan={plan} mode="overwrite" targetName={projectName} />
          )
        ) : (
          <div className="stack" role="status">
            <p>Comparing with {projectName}. Nothing is written.</p>
            <Progress label="Making the plan" percent={undefined} />
          </div>
        )}
        <Checkbox
          label="With subcollections"
          hint="Everything below the document is restored, too."
          checked={isDeep}
          onChange={({ target }) => setDeep(target.checked)}
        />
        {plan && !isIdle(plan) && (
          <ConfirmRestore
            body={body}
            plan={plan}
            targetName={projectName}
            safetyBackup
            label={isDeep ? 'Restore' : 'Restore this document'}
          />
        )}
      </div>
    </Card>
  );
};
