import { usePermission } from '../../../api/permission.ts';
import type { Pitr } from '../../../data/projects.ts';
import { formatPlural } from '../../../format/format-number.ts';
import { paths } from '../../../paths.ts';
import { Notice } from '../../../ui/data/notice.tsx';
import { Time } from '../../../ui/data/time.tsx';
import { ButtonLink } from '../../../ui/form/button-link.tsx';

const findingsShown = 3;

interface CapturedAnomalyProps {
  readonly projectId: string;
  readonly anomaly: NonNullable<Pitr['anomaly']>;
}

/** What is unusual in the captured changes, with the ways to undo and to acknowledge it. */
export const CapturedAnomaly = ({ projectId, anomaly }: CapturedAnomalyProps) => {
  const { findings, detectedAt, before, keptBackupId } = anomaly;
  const { reason } = usePermission('member');
  const more = findings.length - findingsShown;
  return (
    <Notice
      tone="warn"
      title="Unusual changes were captured"
      actions={
        <>
          {before !== null && (
            <ButtonLink icon="undo" to={paths.restoreWizard({ projectId, at: before })} disabledReason={reason}>
              Restore from before…
            </ButtonLink>
          )}
          {keptBackupId !== null && <ButtonLink to={paths.backup(keptBackupId)}>Review and acknowledge</ButtonLink>}
        </>
      }
    >
      <div className="stack stack--tight">
        <ul>
          {findings.slice(0, findingsShown).map(({ message }) => (
            <li key={message} className="wrap-anywhere">
              {message}
            </li>
          ))}
        </ul>
        <p>
          {more > 0 && `And ${formatPlural(more, 'more finding')}. `}
          Found <Time at={detectedAt} relative />. What was captured before is kept until these changes are acknowledged.
        </p>
      </div>
    </Notice>
  );
};
