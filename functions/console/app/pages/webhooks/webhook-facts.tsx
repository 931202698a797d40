import type { WebhookWithSecret } from '../../data/webhooks.ts';
import { formatPlural } from '../../format/format-number.ts';
import { Badge } from '../../ui/data/badge.tsx';
import { Card } from '../../ui/data/card.tsx';
import { Fact } from '../../ui/data/fact.tsx';
import { Notice } from '../../ui/data/notice.tsx';
import { Time } from '../../ui/data/time.tsx';

const disabledWords = {
  gone: 'The address answered 410 Gone. Enable the webhook again once the address works.',
  failing: 'Every delivery failed for 5 days. Enable the webhook again once the address works, then replay what it missed.',
} as const;

export const WebhookFacts = ({ webhook }: { readonly webhook: WebhookWithSecret }) => {
  const { disabledReason, failureCount, failingSince, filters } = webhook;
  return (
    <>
      {disabledReason && (
        <Notice tone="bad" title="The service has disabled this webhook">
          {disabledWords[disabledReason]}
        </Notice>
      )}
      {!disabledReason && failureCount > 0 && (
        <Notice tone="warn" title={`The last ${failureCount === 1 ? 'attempt' : formatPlural(failureCount, 'attempt')} failed`}>
          The first of these was <Time at={failingSince} relative />. After 5 days without a success, the webhook is disabled.
        </Notice>
      )}
      <Card>
        <dl className="facts">
          <Fact label="Address">
            <code className="wrap-anywhere">{webhook.url}</code>
          </Fact>
          <Fact label="Secret">
            <code className="wrap-anywhere">{webhook.secret ?? 'None: requests are not signed'}</code>
            {webhook.previousSecretExpiresAt && (
              <span className="small muted">
                {' '}
                The previous one also signs until <Time at={webhook.previousSecretExpiresAt} />
              </span>
            )}
          </Fact>
          <Fact label="Events" className="row">
            {webhook.events.map((event) => (
              <Badge key={event}>{event === '*' ? 'All events' : event}</Badge>
            ))}
          </Fact>
          <Fact label="Projects">{filters.projects.length === 0 ? 'All' : formatPlural(filters.projects.length, 'project')}</Fact>
          <Fact label="Last event">
            <Time at={webhook.lastTriggeredAt} relative none="Never" />
          </Fact>
        </dl>
      </Card>
    </>
  );
};
