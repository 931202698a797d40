import type { Organization } from '../../data/organization.ts';
import { formatCount } from '../../format/format-number.ts';
import { Card } from '../../ui/data/card.tsx';
import { Fact } from '../../ui/data/fact.tsx';

type Limits = Organization['limits'];

const names: Readonly<Record<keyof Limits, string>> = {
  schedules: 'Schedules',
  webhooks: 'Webhooks',
  alerts: 'Alerts',
  restoreTests: 'Restore tests',
  concurrentBackups: 'Backups at once',
  concurrentRestores: 'Restores at once',
  concurrentExports: 'Exports at once',
  concurrentVerifications: 'Verifications at once',
};

/** What the deployment allows, and what is used. */
export const LimitsCard = ({ limits }: { readonly limits: Limits }) => (
  <Card title="Limits" description="Set by the operator of this service.">
    <dl className="facts">
      {(Object.keys(names) as (keyof Limits)[]).map((name) => (
        <Fact key={name} label={names[name]} className="number">
          {formatCount(limits[name].used)} of {formatCount(limits[name].limit)}
        </Fact>
      ))}
    </dl>
  </Card>
);
