/** Tells the owner that a webhook was disabled. */
import { accountKey } from '../../account/index.ts';
import { organizationKey } from '../../organization/index.ts';
import { count, epochSeconds, get, getAll, log, sendMail, type Tenant } from '../../platform/index.ts';
import { webhookKey } from '../model/record.ts';
import { disabledEmail } from './disabled-email.ts';

const hourSeconds = 3_600;
/** Of one organization in an hour, tries included: what all organizations may send is one quota, and a thousand webhooks may end at once. */
const mailsPerHour = 10;

/** Whoever owns the organization when the mail leaves. Nothing is sent if the webhook was enabled or removed meanwhile. */
export const notifyOwner = async (tenant: Tenant, webhookId: string, now: Date): Promise<void> => {
  const keys = [organizationKey.organization(tenant), webhookKey.webhook(tenant, webhookId)] as const;
  const [organization, webhook] = await getAll(keys);
  if (!organization || organization.deletedAt || !webhook || webhook.enabled || !webhook.disabled) {
    log.info('no mail: the webhook is no longer disabled by us', { webhookId });
    return;
  }
  const owner = await get(accountKey.user(organization.ownerId));
  if (!owner) throw new Error(`the owner of ${organization.id} has no profile`);
  const mails = await countMail(tenant, now);
  if (mails > mailsPerHour) {
    log.warn('no mail: the organization has had its mails of this hour', { webhookId, mails });
    return;
  }
  const { name: webhookName, url, disabled } = webhook;
  const isLast = mails === mailsPerHour;
  await sendMail(owner.email, disabledEmail({ organizationName: organization.name, webhookName, url, ...disabled, isLast }));
};

const countMail = ({ organizationId }: Tenant, now: Date): Promise<number> => {
  const seconds = epochSeconds(now);
  const hour = seconds - (seconds % hourSeconds);
  return count({ pk: `RATE#${organizationId}#webhook-mails`, sk: String(hour) }, hour + 2 * hourSeconds);
};
