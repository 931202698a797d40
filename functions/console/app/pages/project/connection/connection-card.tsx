import { useLocation, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { usePermission } from '../../../api/permission.ts';
import { connectedAs, type Project, useCollections } from '../../../data/projects.ts';
import { formatCount, formatPlural } from '../../../format/format-number.ts';
import { SourceRefusal } from '../../../forms/connection/source-refusal.tsx';
import { Status } from '../../../ui/data/badge.tsx';
import { Card } from '../../../ui/data/card.tsx';
import { Fact } from '../../../ui/data/fact.tsx';
import { Notice } from '../../../ui/data/notice.tsx';
import { Time } from '../../../ui/data/time.tsx';
import { Button } from '../../../ui/form/button.tsx';

const connectionNames = {
  user: 'Google account',
  service_account: 'Service account',
  workload_identity: 'Without a key',
} as const;

/** How the project is connected, with a check of what can be read now. */
export const ConnectionCard = ({ project }: { readonly project: Project }) => {
  const { connection, status, createdAt, sourceProjectId, databaseId, database } = project;
  const [isChecking, setChecking] = useState(false);
  const { items, query } = useCollections(project.id, isChecking);
  const { reason } = usePermission('member');
  const navigate = useNavigate();
  const { pathname } = useLocation();
  const check = (): void => (isChecking ? void query.refetch() : setChecking(true));
  return (
    <Card
      title="Connection"
      actions={
        <>
          <Button busy={query.isFetching} onClick={check}>
            Check now
          </Button>
          <Button
            icon="refresh"
            disabledReason={reason}
            onClick={() => void navigate({ to: pathname, search: { reconnect: true } as never })}
          >
            Reconnect…
          </Button>
        </>
      }
    >
      <div className="stack">
        <dl className="facts">
          <Fact label="Status">
            <Status status={status} />
          </Fact>
          <Fact label={connectionNames[connection.type]} className="wrap-anywhere">
            {connectedAs(connection)}
          </Fact>
          {connection.audience && (
            <Fact label="Workload identity provider">
              <code className="wrap-anywhere">{connection.audience}</code>
            </Fact>
          )}
          <Fact label="Connected since">
            <Time at={createdAt} />
          </Fact>
          <Fact label="Database">
            <code className="wrap-anywhere">{databaseId}</code>
          </Fact>
          <Fact label="Location">{database.locationId ?? 'Unknown'}</Fact>
          <Fact label="Edition" className="connection__edition">
            {database.edition ?? 'Unknown'}
          </Fact>
          <Fact label="Id, for the API and bms" isLong>
            <code className="wrap-anywhere">{project.id}</code>
          </Fact>
        </dl>
        {query.error && !query.isFetching && (
          <SourceRefusal error={query.error} title="The database cannot be read" sourceProjectId={sourceProjectId} />
        )}
        {items && !query.error && (
          <Notice
            tone="good"
            title={`The database can be read: ${query.hasNextPage ? 'more than ' : ''}${formatPlural(items.length, 'root collection')}`}
          >
            {items.length === 0
              ? 'It is empty.'
              : items
                  .slice(0, 12)
                  .map(({ id, count }) => (count === null ? id : `${id} (${formatCount(count)})`))
                  .join(', ')}
            {items.length > 12 && ' …'}
          </Notice>
        )}
      </div>
    </Card>
  );
};
