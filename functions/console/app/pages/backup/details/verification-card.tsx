import { Link } from '@tanstack/react-router';
import { usePermission } from '../../../api/permission.ts';
import { depthWords, notVerifiedBecause } from '../../../data/backup-words.ts';
import { type Backup, useVerifyBackup, type VerifyDepth } from '../../../data/backups.ts';
import { formatPlural } from '../../../format/format-number.ts';
import { FindingList } from '../../../parts/finding-list.tsx';
import { paths } from '../../../paths.ts';
import { Badge } from '../../../ui/data/badge.tsx';
import { Card } from '../../../ui/data/card.tsx';
import { Progress } from '../../../ui/data/progress.tsx';
import { Time } from '../../../ui/data/time.tsx';
import { Button } from '../../../ui/form/button.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { Menu, MenuItem } from '../../../ui/overlay/menu.tsx';

type Verification = NonNullable<Backup['verification']>;
const depths = ['structure', 'sample', 'full'] as const satisfies readonly VerifyDepth[];

export const VerificationCard = ({ backup }: { readonly backup: Backup }) => {
  const { id, verification, restoreTestedAt } = backup;
  const { reason } = usePermission('member');
  const verify = useVerifyBackup(id);
  const isRunning = verification?.status === 'running';
  const button = (
    <Button size="small" icon="shield" busy={verify.isPending} disabledReason={reason ?? notVerifiedBecause(backup)}>
      Verify
    </Button>
  );
  return (
    <Card
      title="Verification"
      actions={
        reason !== undefined || isRunning ? (
          button
        ) : (
          <Menu trigger={button}>
            {depths.map((depth) => (
              <MenuItem key={depth} onSelect={() => verify.mutate(depth)}>
                <strong>{depthWords[depth].name}</strong>
                <span className="small secondary backup__depth">{depthWords[depth].plan}</span>
              </MenuItem>
            ))}
          </Menu>
        )
      }
    >
      <div className="stack">
        {verification ? (
          <Result verification={verification} />
        ) : (
          <p className="secondary">
            Never verified. A verification reads the backup from the storage and shows whether it can still be restored.
          </p>
        )}
        <p className="small muted">
          <Link to={paths.restoreTests}>Restore test</Link>: <Time at={restoreTestedAt} relative none="never" />
        </p>
      </div>
    </Card>
  );
};

const Result = ({ verification }: { readonly verification: Verification }) => {
  const { status, depth, checkedAt, objects, percent, findings } = verification;
  if (status === 'running')
    return (
      <div className="stack" role="status">
        <Progress label={`${depthWords[depth].name} verification`} percent={percent} since={checkedAt} />
        <p className="small muted">
          {objects > 0 ? `${formatPlural(objects, 'object')} checked so far.` : 'Opens the backup.'} Started{' '}
          <Time at={checkedAt} seconds />.
        </p>
      </div>
    );
  const isGood = status === 'passed';
  return (
    <div className="stack">
      <div className="row">
        <Badge tone={isGood ? 'good' : 'bad'}>
          <Icon name={isGood ? 'checkCircle' : 'alert'} size={12} /> {isGood ? 'Passed' : 'Failed'}
        </Badge>
        <span className="secondary">
          {depthWords[depth].name}, <Time at={checkedAt} relative />
        </span>
      </div>
      <p>{isGood ? `${depthWords[depth].passed} ${formatPlural(objects, 'object')} checked.` : failedWords(findings.length)}</p>
      {findings.length > 0 && <FindingList findings={findings} />}
    </div>
  );
};

const failedWords = (count: number): string =>
  `${formatPlural(count, 'problem')} found. A restore of the affected documents may fail: back up again now, and find out who changed the bucket.`;
