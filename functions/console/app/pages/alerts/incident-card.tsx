import { Link } from '@tanstack/react-router';
import { type Incident, useIncidents } from '../../data/alerts.ts';
import { formatCount } from '../../format/format-number.ts';
import { HistoryCard } from '../../parts/history-card.tsx';
import { paths } from '../../paths.ts';
import { Badge, Status } from '../../ui/data/badge.tsx';
import type { Column } from '../../ui/data/table.tsx';
import { TextWithTimes } from '../../ui/data/text-with-times.tsx';
import { Time } from '../../ui/data/time.tsx';
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
    case 'api_key':
      return paths.apiKeys;
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
      <div className="stack stack--close">
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
    <HistoryCard
      title="Incidents"
      description="One for everything that fails, until it works again. Recovered ones are kept for 90 days."
      views={views}
      view={view}
      onView={onView}
      list={list}
      columns={columnsOf(view)}
      icon="checkCircle"
      empty={
        view === 'open'
          ? ['No open incidents', 'Everything that was tried last has worked.']
          : ['No incidents', 'Nothing has failed in the last 90 days.']
      }
    />
  );
};
