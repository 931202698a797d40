import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { usePermission } from '../../api/permission.ts';
import { type Alert, useAlerts } from '../../data/alerts.ts';
import { paths } from '../../paths.ts';
import { Badge, Status } from '../../ui/data/badge.tsx';
import { Card } from '../../ui/data/card.tsx';
import { EmptyState } from '../../ui/data/empty-state.tsx';
import { ListBody } from '../../ui/data/list-body.tsx';
import { type Column, Table } from '../../ui/data/table.tsx';
import { Time } from '../../ui/data/time.tsx';
import { Button } from '../../ui/form/button.tsx';
import { PageHeader } from '../../ui/layout/page-header.tsx';
import { AlertForm } from './alert-form.tsx';
import { channelWords, kindsWords, minimumWords, projectsWords, targetWords } from './alert-words.ts';
import { DigestDialog } from './digest-dialog.tsx';
import { IncidentCard, type IncidentView } from './incident-card.tsx';

const columns: readonly Column<Alert>[] = [
  {
    key: 'name',
    label: 'Alert',
    isTitle: true,
    cell: ({ id, name, isDefault }) => (
      <span className="row">
        <Link to={paths.alert(id)} className="wrap-anywhere">
          {name}
        </Link>
        {isDefault && <Badge>Default</Badge>}
      </span>
    ),
  },
  {
    key: 'target',
    label: 'Sent to',
    cell: (alert) => (
      <div className="stack stack--close">
        <span>{channelWords[alert.channel]}</span>
        <span className="small secondary wrap-anywhere">{targetWords(alert)}</span>
      </div>
    ),
  },
  {
    key: 'reports',
    label: 'Reports',
    cell: (alert) => (
      <div className="stack stack--close">
        <span>{kindsWords(alert)}</span>
        <span className="small secondary">
          {[minimumWords[alert.severity], projectsWords(alert), alert.digest && 'weekly digest'].filter(Boolean).join(' · ')}
        </span>
      </div>
    ),
  },
  { key: 'status', label: 'Status', cell: ({ status }) => <Status status={status} /> },
  {
    key: 'last',
    label: 'Last message',
    cell: ({ lastDelivery }) => <Time at={lastDelivery?.at ?? null} relative none="None yet" />,
  },
];

export const AlertsPage = () => {
  const { reason } = usePermission('admin');
  const list = useAlerts();
  const [open, setOpen] = useState<'create' | 'digest'>();
  const [view, setView] = useState<IncidentView>('open');
  const create = (
    <Button variant="primary" icon="plus" disabledReason={reason} onClick={() => setOpen('create')}>
      Add alert
    </Button>
  );
  return (
    <>
      <PageHeader
        title="Alerts"
        description="Who is told when something fails, and when it works again."
        actions={
          <>
            <Button onClick={() => setOpen('digest')}>Preview the weekly digest…</Button>
            {create}
          </>
        }
      />
      <div className="stack">
        <IncidentCard view={view} onView={setView} />
        <Card
          title="Alerts"
          description="One message for each incident and one when it is over. More than 20 in an hour are grouped."
          flush
        >
          <ListBody
            list={list}
            what="alerts"
            empty={
              <EmptyState icon="bell" title="Failures are reported to no one" actions={create}>
                Send incidents by e-mail, to Slack, Microsoft Teams or Discord, or to PagerDuty.
              </EmptyState>
            }
          >
            <Table label="Alerts" columns={columns} rows={list.items} rowKey={({ id }) => id} />
          </ListBody>
        </Card>
      </div>
      {open === 'create' && <AlertForm alert={undefined} onClose={() => setOpen(undefined)} />}
      {open === 'digest' && <DigestDialog onClose={() => setOpen(undefined)} />}
    </>
  );
};
