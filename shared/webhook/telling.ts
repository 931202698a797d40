/** Tells the owner that a webhook was disabled. */
import { accountKey, type UserRecord } from '../account/index.ts';
import { type OrganizationRecord, organizationKey } from '../organization/index.ts';
import { get, getAll, log, sendMail, type Tenant } from '../platform/index.ts';
import { disabledLetter } from './disabled-letter.ts';
import { type WebhookRecord, webhookKey } from './record.ts';

/** Whoever owns the organization when the mail leaves. Nothing is sent if the webhook was enabled or removed meanwhile. */
export const tellDisabled = async (tenant: Tenant, webhookId: string): Promise<void> => {
  const keys = [organizationKey.organization(tenant), webhookKey.webhook(tenant, webhookId)];
  const [organization, webhook] = (await getAll(keys)) as [OrganizationRecord?, WebhookRecord?];
  if (!organization || organization.deletedAt || !webhook || webhook.enabled || !webhook.disabled) {
    log.info('no mail: the webhook is no longer disabled by us', { webhookId });
    return;
  }
  const owner = (await get(accountKey.user(organization.ownerId))) as UserRecord | undefined;
  if (!owner) throw new Error(`the owner of ${organization.id} has no profile`);
  const { name: webhookName, url, disabled } = webhook;
  await sendMail(owner.email, disabledLetter({ organizationName: organization.name, webhookName, url, ...disabled }));
};
