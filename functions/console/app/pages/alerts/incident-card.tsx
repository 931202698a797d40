import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { usePermission } from '../../api/permission.ts';
import { type Incident, useIncidents, useOpenIncidents } from '../../data/incidents.ts';
import { useOverview } from '../../data/overview.ts';
import { formatPlural } from '../../format/format-number.ts';
import { AttentionList } from '../../parts/attention-list.tsx';
import { HistoryCard } from '../../parts/history-card.tsx';
import { paths } from '../../paths.ts';
import { Badge, Status } from '../../ui/data/badge.tsx';
import { Email } from '../../ui/data/email.tsx';
import type { Column } from '../../ui/data/table.tsx';
import { TextWithTimes } from '../../ui/data/text-with-times.tsx';
import { Time } from '../../ui/data/time.tsx';
import { Button } from '../../ui/form/button.tsx';
import { severityWords } from './alert-words.ts';
import { AcknowledgeDialog } from './incident-actions.tsx';
import { causeWords, reportedWords } from './incident-words.ts';

const views = [
  ['open', 'Open'],
  ['recovered', 'Recovered'],
  ['all', 'All'],
] as const;
export type IncidentView = (typeof views)[number][0];

const columnsOf = (view: IncidentView, acknowledge: (incident: Incident) => ReactNode): readonly Column<Incident>[] => [
  {
    key: 'title',
    label: 'Incident',
    isTitle: true,
    cell: (incident) => (
      <div className="stack stack--close">
        <Link to={paths.incident(incident.id)} className="wrap-anywhere">
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
  { key: 'care', label: 'Handled by', cell: (incident) => <Care incident={incident} /> },
  { key: 'count', label: 'Reported', cell: ({ count }) => <span className="nowrap">{reportedWords(count)}</span> },
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
  {
    key: 'cause',
    label: '',
    cell: (incident) => (
      <span className="row alerts__next">
        <Link to={incident.page} className="small nowrap">
          {causeWords(incident)}
        </Link>
        {incident.status === 'open' && !incident.acknowledgement && acknowledge(incident)}
      </span>
    ),
  },
];

/** Who has acknowledged an incident, who takes care of it, and whether it is muted. */
const Care = ({ incident: { acknowledgement, assignee, mutedUntil } }: { readonly incident: Incident }) => {
  if (!acknowledgement && !assignee && mutedUntil === null) return <span className="muted nowrap">No one yet</span>;
  return (
    <div className="stack stack--close">
      {assignee && (
        <span className="wrap-anywhere">
          <Email text={assignee.email} />
        </span>
      )}
      {acknowledgement && (
        <span className={assignee ? 'small secondary wrap-anywhere' : 'wrap-anywhere'}>
          Acknowledged by <Email text={acknowledgement.by.email ?? 'a member'} />
        </span>
      )}
      {mutedUntil !== null && (
        <span className="small secondary">
          Muted until <Time at={mutedUntil} />
        </span>
      )}
    </div>
  );
};

interface IncidentCardProps {
  readonly view: IncidentView;
  readonly onView: (view: IncidentView) => void;
}

/** What fails, from its first failure to its recovery, and what else the overview lists. */
export const IncidentCard = ({ view, onView }: IncidentCardProps) => {
  const open = useOpenIncidents();
  const earlier = useIncidents(view === 'recovered' ? view : undefined, view !== 'open');
  const { first: overview } = useOverview();
  const { reason } = usePermission('member');
  const [acknowledged, setAcknowledged] = useState<Incident>();
  const acknowledge = (incident: Incident) => (
    <Button
      size="small"
      icon="check"
      aria-label={`Acknowledge: ${incident.title}`}
      disabledReason={reason}
      onClick={() => setAcknowledged(incident)}
    >
      Acknowledge…
    </Button>
  );
  const others = overview?.attention.filter(({ incidentId }) => incidentId === null);
  return (
    <>
      <HistoryCard
        title="Incidents"
        description="One for everything that fails, until it works again. Recovered ones are kept for 90 days."
        views={views}
        view={view}
        onView={onView}
        list={view === 'open' ? open : earlier}
        columns={columnsOf(view, acknowledge)}
        icon="checkCircle"
        empty={
          view === 'open'
            ? ['No open incidents', openAdvice(others?.length)]
            : ['No incidents', 'Nothing has failed in the last 90 days.']
        }
      />
      {acknowledged && <AcknowledgeDialog incident={acknowledged} onClose={() => setAcknowledged(undefined)} />}
      {view === 'open' && others && (
        <AttentionList
          title="Needs attention, too"
          description="Also on the overview. No incident reports these."
          attention={others}
        />
      )}
    </>
  );
};

/** Says that all is well only if the overview says so, too. */
const openAdvice = (others: number | undefined): string => {
  if (others === undefined) return 'No failure is reported now.';
  if (others === 0) return 'Everything that was tried last has worked.';
  return `No failure is reported now, but ${formatPlural(others, 'thing')} below ${others === 1 ? 'needs' : 'need'} attention.`;
};
