import type { WebhookWithSecret } from '../../data/webhooks.ts';
import { formatPlural } from '../../format/format-number.ts';
import { Badge } from '../../ui/data/badge.tsx';
import { Card } from '../../ui/data/card.tsx';
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
          <div className="facts__long">
            <dt>Address</dt>
            <dd>
              <code className="wrap-anywhere">{webhook.url}</code>
            </dd>
          </div>
          <div>
            <dt>Secret</dt>
            <dd>
              <code className="wrap-anywhere">{webhook.secret ?? 'None: requests are not signed'}</code>
              {webhook.previousSecretExpiresAt && (
                <span className="small muted">
                  {' '}
                  The previous one also signs until <Time at={webhook.previousSecretExpiresAt} />
                </span>
              )}
            </dd>
          </div>
          <div>
            <dt>Events</dt>
            <dd className="row">
              {webhook.events.map((event) => (
                <Badge key={event}>{event === '*' ? 'All events' : event}</Badge>
              ))}
            </dd>
          </div>
          <div>
            <dt>Projects</dt>
            <dd>{filters.projects.length === 0 ? 'All' : formatPlural(filters.projects.length, 'project')}</dd>
          </div>
          <div>
            <dt>Last event</dt>
            <dd>
              <Time at={webhook.lastTriggeredAt} relative none="Never" />
            </dd>
          </div>
        </dl>
      </Card>
    </>
  );
};
