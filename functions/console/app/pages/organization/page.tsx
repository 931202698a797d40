import { useOrganization } from '../../data/organization.ts';
import { formatBytes, formatCount } from '../../format/format-number.ts';
import { RecoverCard } from '../../parts/recover-card.tsx';
import { Card } from '../../ui/data/card.tsx';
import { ErrorNotice } from '../../ui/data/error-notice.tsx';
import { SkeletonText } from '../../ui/data/skeleton.tsx';
import { Time } from '../../ui/data/time.tsx';
import { PageHeader } from '../../ui/layout/page-header.tsx';
import { DeleteCard } from './delete-card.tsx';
import { EncryptionCard } from './encryption-card.tsx';
import { LimitsCard } from './limits-card.tsx';
import { ServiceAccountCard } from './service-account-card.tsx';
import { SettingsForm } from './settings-form.tsx';

export const OrganizationPage = () => {
  const { data, error, refetch } = useOrganization();
  return (
    <>
      <PageHeader title="Organization" description="Settings that hold for all projects." />
      <div className="stack">
        {error && <ErrorNotice error={error} title="The organization could not be loaded" onRetry={() => void refetch()} />}
        <Card title="General">
          {data ? (
            <div className="stack">
              <dl className="facts">
                <div className="facts__long">
                  <dt>Owner</dt>
                  <dd className="wrap-anywhere">{data.owner.email}</dd>
                </div>
                <div>
                  <dt>Projects</dt>
                  <dd className="number">{formatCount(data.statistics.projectCount)}</dd>
                </div>
                <div>
                  <dt>Backups</dt>
                  <dd className="number">{formatCount(data.statistics.backupCount)}</dd>
                </div>
                <div>
                  <dt>Stored</dt>
                  <dd className="number">{formatBytes(data.statistics.storageUsed)}</dd>
                </div>
                <div>
                  <dt>Created</dt>
                  <dd>
                    <Time at={data.createdAt} />
                  </dd>
                </div>
              </dl>
              <SettingsForm organization={data} />
            </div>
          ) : (
            <SkeletonText />
          )}
        </Card>
        {data && <LimitsCard limits={data.limits} />}
        <EncryptionCard />
        <ServiceAccountCard />
        <RecoverCard />
        {data && <DeleteCard organization={data} />}
      </div>
    </>
  );
};
