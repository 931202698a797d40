import { Badge, Status } from '../ui/data/badge.tsx';
import { Time } from '../ui/data/time.tsx';

interface Answer {
  readonly statusCode: number | null;
  readonly lastError?: string | null | undefined;
}

/** What the endpoint answered to the last attempt, or why there was no answer. */
export const answerOf = ({ statusCode, lastError }: Answer): string | undefined => {
  const reason = lastError === `HTTP ${statusCode}` ? undefined : lastError;
  const text = [statusCode, reason].filter(Boolean).join(': ');
  return text === '' ? undefined : text.charAt(0).toUpperCase() + text.slice(1);
};

export interface Delivery {
  readonly status: 'attempting' | 'delivered' | 'failed' | 'skipped';
  readonly attempts: number;
  readonly nextAttemptAt: string | null;
}

/** Between two attempts nothing is sent: the next one is awaited. */
const isWaiting = ({ status, attempts, nextAttemptAt }: Delivery): boolean =>
  status === 'attempting' && attempts > 0 && nextAttemptAt !== null;

/** The state of a delivery of a webhook or an alert. */
export const DeliveryState = ({ delivery }: { readonly delivery: Delivery }) =>
  isWaiting(delivery) ? (
    <span className="delivery-state">
      <Badge tone="warn">Will retry</Badge>
      <span className="small muted">
        <Time at={delivery.nextAttemptAt} relative />
      </span>
    </span>
  ) : (
    <Status status={delivery.status} />
  );
