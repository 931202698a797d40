/** The URL and the routing key of an alert: encrypted at rest for that alert, and never shown again. */
import { openSecret, sealSecret, secretMask, type Tenant } from '../../platform/index.ts';
import type { AlertTarget } from '../message/index.ts';
import type { AlertRecord } from './record.ts';

/** `part` prevents an encrypted URL from being decrypted as a routing key. */
const context = (tenant: Tenant, alertId: string, part: 'url' | 'routing-key') => ({
  organization: tenant.organizationId,
  alert: alertId,
  purpose: 'alert-secret',
  part,
});

/** 'https://hooks.slack.com/services/T0/B0/X' → 'https://hooks.slack.com/********' */
const shownUrl = (url: string): string => `${new URL(url).origin}/${secretMask}`;

/** The attributes of a record that hold the given secrets. */
export const secretAttributes = async (
  tenant: Tenant,
  alertId: string,
  { url, routingKey }: AlertTarget,
): Promise<Pick<AlertRecord, 'shownUrl' | 'sealedUrl' | 'sealedRoutingKey'>> => {
  const [sealedUrl, sealedRoutingKey] = await Promise.all([
    url === undefined ? undefined : sealSecret(url, context(tenant, alertId, 'url')),
    routingKey === undefined ? undefined : sealSecret(routingKey, context(tenant, alertId, 'routing-key')),
  ]);
  return {
    ...(url !== undefined && sealedUrl && { shownUrl: shownUrl(url), sealedUrl }),
    ...(sealedRoutingKey && { sealedRoutingKey }),
  };
};

export const openTarget = async (
  tenant: Tenant,
  { id, sealedUrl, sealedRoutingKey }: Pick<AlertRecord, 'id' | 'sealedUrl' | 'sealedRoutingKey'>,
): Promise<AlertTarget> => {
  const [url, routingKey] = await Promise.all([
    sealedUrl && openSecret(sealedUrl, context(tenant, id, 'url')),
    sealedRoutingKey && openSecret(sealedRoutingKey, context(tenant, id, 'routing-key')),
  ]);
  return { url, routingKey };
};
