import { Link } from '@tanstack/react-router';
import { type Incident, useIncidents } from '../../data/alerts.ts';
import { formatCount } from '../../format/format-number.ts';
import { paths } from '../../paths.ts';
import { Badge, Status } from '../../ui/data/badge.tsx';
import { Card } from '../../ui/data/card.tsx';
import { EmptyState } from '../../ui/data/empty-state.tsx';
import { ListBody } from '../../ui/data/list-body.tsx';
import { type Column, Table } from '../../ui/data/table.tsx';
import { TextWithTimes } from '../../ui/data/text-with-times.tsx';
import { Time } from '../../ui/data/time.tsx';
import { Segments } from '../../ui/layout/tabs.tsx';
import { severityWords } from './alert-words.ts';

const views = [
  ['open', 'Open'],
  ['recovered', 'Recovered'],
  ['all', 'All'],
] as const;
export type IncidentView = (typeof views)[number][0];

/** Where the cause is shown. */
const pathOf = ({ subject: { type, id }, project }: Incident): string => {
  switch (type) {
    case 'backup':
      return paths.backup(id);
    case 'schedule':
      return paths.schedule(id);
    case 'storage_destination':
      return paths.storage;
    case 'webhook':
      return paths.webhook(id);
    default:
      return paths.project(project?.id ?? id);
  }
};

const columnsOf = (view: IncidentView): readonly Column<Incident>[] => [
  {
    key: 'title',
    label: 'Incident',
    isTitle: true,
    cell: (incident) => (
      <div className="alerts__incident">
        <Link to={pathOf(incident)} className="wrap-anywhere">
          {incident.title}
        </Link>
        <span className="small secondary wrap-anywhere">
          <TextWithTimes text={incident.message} />
        </span>
      </div>
    ),
  },
  {
    key: 'severity',
    label: 'Severity',
    cell: ({ severity }) => <Badge tone={severityWords[severity][1]}>{severityWords[severity][0]}</Badge>,
  },
  ...(view === 'all' ? [{ key: 'status', label: 'Status', cell: ({ status }: Incident) => <Status status={status} /> }] : []),
  { key: 'count', label: 'Failures', isNumber: true, cell: ({ count }) => formatCount(count) },
  { key: 'opened', label: 'Since', cell: ({ openedAt }) => <Time at={openedAt} relative /> },
  ...(view === 'open'
    ? []
    : [
        {
          key: 'recovered',
          label: 'Recovered',
          cell: ({ recoveredAt }: Incident) => <Time at={recoveredAt} relative none="–" />,
        },
      ]),
];

interface IncidentCardProps {
  readonly view: IncidentView;
  readonly onView: (view: IncidentView) => void;
}

/** What fails, from its first failure to its recovery. */
export const IncidentCard = ({ view, onView }: IncidentCardProps) => {
  const list = useIncidents(view === 'all' ? undefined : view);
  return (
    <Card
      title="Incidents"
      description="One for everything that fails, until it works again. Recovered ones are kept for 90 days."
      actions={<Segments label="Which incidents" value={view} options={views} onChange={onView} />}
      flush
    >
      <ListBody
        list={list}
        what="incidents"
        empty={
          <EmptyState icon="checkCircle" title={view === 'open' ? 'No open incidents' : 'No incidents'}>
            {view === 'open' ? 'Everything that was tried last has worked.' : 'Nothing has failed in the last 90 days.'}
          </EmptyState>
        }
        moreLabel="Show older incidents"
      >
        <Table label="Incidents" columns={columnsOf(view)} rows={list.items} rowKey={({ id }) => id} />
      </ListBody>
    </Card>
  );
};
