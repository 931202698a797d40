import { useOrganization } from '../../data/organization.ts';
import { formatBytes, formatCount } from '../../format/format-number.ts';
import { RecoverCard } from '../../parts/recover-card.tsx';
import { Card } from '../../ui/data/card.tsx';
import { Email } from '../../ui/data/email.tsx';
import { ErrorNotice } from '../../ui/data/error-notice.tsx';
import { Fact } from '../../ui/data/fact.tsx';
import { SkeletonText } from '../../ui/data/skeleton.tsx';
import { Time } from '../../ui/data/time.tsx';
import { PageHeader } from '../../ui/layout/page-header.tsx';
import { DeleteCard } from './delete-card.tsx';
import { EncryptionCard } from './encryption-card.tsx';
import { LimitsCard } from './limits-card.tsx';
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
                <Fact label="Owner" className="wrap-anywhere">
                  <Email text={data.owner.email} />
                </Fact>
                <Fact label="Projects" className="number">
                  {formatCount(data.statistics.projectCount)}
                </Fact>
                <Fact label="Backups" className="number">
                  {formatCount(data.statistics.backupCount)}
                </Fact>
                <Fact label="Stored" className="number">
                  {formatBytes(data.statistics.storageUsed)}
                </Fact>
                <Fact label="Created">
                  <Time at={data.createdAt} />
                </Fact>
              </dl>
              <SettingsForm organization={data} />
            </div>
          ) : (
            <SkeletonText />
          )}
        </Card>
        {data && <LimitsCard limits={data.limits} />}
        <EncryptionCard />
        <RecoverCard />
        {data && <DeleteCard organization={data} />}
      </div>
    </>
  );
};
