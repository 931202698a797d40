import { lapsedAfterHours } from '../../../../../shared/contract/limits.ts';
import type { AlertChannel, AlertKind, AlertSeverity } from '../../../../../shared/contract/models/alert-enums.ts';
import type { Alert, AlertInput } from '../../data/alerts.ts';

/** What the form holds. */
export interface AlertDraft {
  readonly name: string;
  readonly channel: AlertChannel;
  readonly recipients: 'owners' | 'admins' | 'addresses';
  readonly addresses: string;
  readonly url: string;
  readonly routingKey: string;
  readonly severity: AlertSeverity;
  readonly projectIds: readonly string[];
  readonly kinds: readonly AlertKind[];
  readonly lapsedAfterHours: string;
  readonly digest: boolean;
}

export const draftOf = (alert: Alert | undefined): AlertDraft => {
  const recipients = alert?.recipients ?? 'owners';
  return {
    name: alert?.name ?? '',
    channel: alert?.channel ?? 'slack',
    recipients: typeof recipients === 'string' ? recipients : 'addresses',
    addresses: typeof recipients === 'string' ? '' : recipients.join('\n'),
    // The service shows neither again; an empty field keeps what is stored.
    url: '',
    routingKey: '',
    severity: alert?.severity ?? 'warning',
    projectIds: alert?.projectIds ?? [],
    kinds: alert?.kinds ?? [],
    lapsedAfterHours: String(alert?.lapsedAfterHours ?? lapsedAfterHours),
    digest: alert?.digest ?? false,
  };
};

const addressesOf = ({ addresses }: AlertDraft): string[] => addresses.split(/[\s,;]+/).filter((address) => address !== '');

/** What the channel needs. An empty address or key is not sent. */
const target = (draft: AlertDraft) => {
  const { channel, recipients, url, routingKey, digest } = draft;
  if (channel === 'email') return { recipients: recipients === 'addresses' ? addressesOf(draft) : recipients, digest };
  return { ...(url !== '' && { url }), ...(channel === 'pagerduty' && routingKey !== '' && { routingKey }) };
};

export const inputOf = (draft: AlertDraft): AlertInput => ({
  name: draft.name,
  channel: draft.channel,
  severity: draft.severity,
  projectIds: [...draft.projectIds],
  kinds: [...draft.kinds],
  lapsedAfterHours: Number(draft.lapsedAfterHours),
  ...target(draft),
});
