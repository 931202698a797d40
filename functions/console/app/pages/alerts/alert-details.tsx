import type { Alert } from '../../data/alerts.ts';
import { useProjects } from '../../data/projects.ts';
import { formatPlural } from '../../format/format-number.ts';
import { Badge } from '../../ui/data/badge.tsx';
import { Card } from '../../ui/data/card.tsx';
import { Fact } from '../../ui/data/fact.tsx';
import { Notice } from '../../ui/data/notice.tsx';
import { Time } from '../../ui/data/time.tsx';
import { channelWords, kindWords, minimumWords, targetWords } from './alert-words.ts';

const disabledWords = {
  gone: 'The provider says that the address no longer exists. Change the alert, then enable it.',
  failing: 'Every message failed for 5 days. Send a test, then enable the alert.',
} as const;

/** What an alert reports and where to, and why it does not work. */
export const AlertDetails = ({ alert }: { readonly alert: Alert }) => {
  const { disabledReason, status, failureCount, failingSince, lastDelivery } = alert;
  return (
    <>
      {disabledReason && (
        <Notice tone="bad" title="The service has disabled this alert">
          {disabledWords[disabledReason]}
        </Notice>
      )}
      {status === 'failing' && (
        <Notice tone="warn" title={`${formatPlural(failureCount, 'attempt')} to send a message failed in a row`}>
          Since <Time at={failingSince} relative />
          {lastDelivery?.error ? `: ${lastDelivery.error}.` : '.'} After 5 days without a success the alert is disabled.
        </Notice>
      )}
      {alert.isDefault && (
        <Notice title="The default alert">
          It was created with the organization, so that its owner is told of failures without any setting. You can change, disable
          or delete it; a deleted one is not created again.
        </Notice>
      )}
      <Card>
        <dl className="facts">
          <Fact label="Channel">{channelWords[alert.channel]}</Fact>
          <Fact label="Sent to" className="wrap-anywhere">
            {targetWords(alert)}
          </Fact>
          <Fact label="Reports" className="row">
            {alert.kinds.length === 0
              ? 'All kinds of incidents'
              : alert.kinds.map((kind) => <Badge key={kind}>{kindWords[kind][0]}</Badge>)}
          </Fact>
          <Fact label="How severe">{minimumWords[alert.severity]}</Fact>
          <Fact label="Projects">{alert.projectIds.length === 0 ? 'All' : <ProjectNames ids={alert.projectIds} />}</Fact>
          <Fact label="Protection lapses after">{formatPlural(alert.lapsedAfterHours, 'hour')} without a good backup</Fact>
          {alert.channel === 'email' && <Fact label="Weekly digest">{alert.digest ? 'Every Monday at 08:00' : 'Not sent'}</Fact>}
          <Fact label="Last message">
            <Time at={lastDelivery?.at ?? null} relative none="None yet" />
          </Fact>
        </dl>
      </Card>
    </>
  );
};

const ProjectNames = ({ ids }: { readonly ids: readonly string[] }) => {
  const { items } = useProjects();
  const names = new Map(items?.map(({ id, name }) => [id, name]));
  return <span className="wrap-anywhere">{ids.map((id) => names.get(id) ?? id).join(', ')}</span>;
};
