import type { ServiceAccount } from '../../data/service-account.ts';
import { Badge, Status } from '../../ui/data/badge.tsx';
import { Fact } from '../../ui/data/fact.tsx';
import { Notice } from '../../ui/data/notice.tsx';
import { Time } from '../../ui/data/time.tsx';

export const ServiceAccountFacts = ({ account }: { readonly account: ServiceAccount }) => (
  <div className="stack">
    {account.status === 'ended' && (
      <Notice tone="bad" title="The key no longer works">
        The member who created the service account has left the organization. Take it over, then rotate its key.
      </Notice>
    )}
    {account.previousKeyExpiresAt && (
      <Notice tone="warn" title="Two keys work at the moment">
        The previous key stops working <Time at={account.previousKeyExpiresAt} relative />.
      </Notice>
    )}
    <dl className="facts">
      <Fact label="Name" className="wrap-anywhere">
        {account.name}
      </Fact>
      <Fact label="Status">
        <Status status={account.status} />
      </Fact>
      <Fact label="Last used">
        <Time at={account.lastUsedAt} relative none="Never" />
      </Fact>
      <Fact label="Created">
        <Time at={account.createdAt} />
      </Fact>
    </dl>
    <div className="row">
      {account.permissions.map((permission) => (
        <Badge key={permission}>{permission}</Badge>
      ))}
    </div>
  </div>
);
