import { Link } from '@tanstack/react-router';
import { type IncidentDetails, useIncident } from '../../data/incidents.ts';
import { ResourcePage } from '../../frame/resource-page.tsx';
import { TimelineCard } from '../../parts/timeline-card.tsx';
import { paths } from '../../paths.ts';
import { Badge, Status } from '../../ui/data/badge.tsx';
import { Card } from '../../ui/data/card.tsx';
import { Email } from '../../ui/data/email.tsx';
import { Fact } from '../../ui/data/fact.tsx';
import { TextWithTimes } from '../../ui/data/text-with-times.tsx';
import { Time } from '../../ui/data/time.tsx';
import { useParam } from '../../use-param.ts';
import { severityWords } from './alert-words.ts';
import { IncidentActions } from './incident-actions.tsx';
import { entryTitle, entryTone, reportedWords } from './incident-words.ts';

export const IncidentPage = () => {
  const read = useIncident(useParam('incidentId'));
  const { data } = read;
  return (
    <ResourcePage
      read={{ ...read, data: data && { ...data, name: data.title } }}
      what="incident"
      crumb={{ label: 'Alerts', to: paths.alerts }}
      badge={({ status, severity, mutedUntil }) => (
        <>
          <Status status={status} />
          <Badge tone={severityWords[severity][1]}>{severityWords[severity][0]}</Badge>
          {mutedUntil !== null && <Badge>Muted</Badge>}
        </>
      )}
      actions={(incident) => <IncidentActions incident={incident} />}
    >
      {(incident) => (
        <>
          <IncidentFacts incident={incident} />
          <TimelineCard
            entries={incident.timeline.map((entry) => ({
              at: entry.at,
              what: entryTitle(entry),
              detail: entry.message && <TextWithTimes text={entry.type === 'assigned' ? `to ${entry.message}` : entry.message} />,
              tone: entryTone(entry),
            }))}
          />
        </>
      )}
    </ResourcePage>
  );
};

const IncidentFacts = ({ incident }: { readonly incident: IncidentDetails }) => {
  const { message, project, count, openedAt, lastFailureAt, recoveredAt, acknowledgement, assignee, mutedUntil } = incident;
  return (
    <Card>
      <dl className="facts">
        <Fact label={recoveredAt === null ? 'What fails' : 'Why it is over'} isLong className="wrap-anywhere">
          <TextWithTimes text={message} />
        </Fact>
        {project && (
          <Fact label="Project" className="wrap-anywhere">
            <Link to={paths.project(project.id)}>{project.name}</Link>
          </Fact>
        )}
        <Fact label="Since">
          <Time at={openedAt} />
          {recoveredAt === null && (
            <div className="small muted">
              <Time at={openedAt} relative />
            </div>
          )}
        </Fact>
        <Fact label="Reported">
          {reportedWords(count)}
          {count > 1 && (
            <div className="small muted">
              the last time <Time at={lastFailureAt} relative />
            </div>
          )}
        </Fact>
        {recoveredAt !== null && (
          <Fact label="Recovered">
            <Time at={recoveredAt} />
          </Fact>
        )}
        <Fact label="Acknowledged" className="wrap-anywhere">
          {acknowledgement ? (
            <>
              By <Email text={acknowledgement.by.email ?? 'a member'} />, <Time at={acknowledgement.at} relative />
              {acknowledgement.note && <div className="small muted">{acknowledgement.note}</div>}
            </>
          ) : (
            <span className="muted">Not yet</span>
          )}
        </Fact>
        <Fact label="Assigned to" className="wrap-anywhere">
          {assignee ? <Email text={assignee.email} /> : <span className="muted">No one</span>}
        </Fact>
        {mutedUntil !== null && (
          <Fact label="Muted until">
            <Time at={mutedUntil} />
          </Fact>
        )}
      </dl>
    </Card>
  );
};
