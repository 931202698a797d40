import { accountKey } from '../../account/index.ts';
import { organizationKey } from '../../organization/index.ts';
import { count, epochSeconds, get, getAll, log, sendMail, type Tenant } from '../../platform/index.ts';
import { webhookKey } from '../model/record.ts';
import { disabledEmail } from './disabled-email.ts';

const hourSeconds = 3_600;
/** Per organization, retries included. All organizations share one sending quota, and a thousand webhooks may be disabled at once. */
const mailsPerHour = 10;

/** E-mails the current owner that a webhook was disabled. Sends nothing if it was enabled or deleted meanwhile. */
export const notifyOwner = async (tenant: Tenant, webhookId: string, now: Date): Promise<void> => {
  const [organization, webhook] = await getAll([organizationKey.organization(tenant), webhookKey.webhook(tenant, webhookId)]);
  if (!organization || organization.deletedAt || !webhook || webhook.enabled || !webhook.disabled) {
    log.info('owner e-mail not sent: the webhook is no longer disabled', { webhookId });
    return;
  }
  const owner = await get(accountKey.user(organization.ownerId));
  if (!owner) throw new Error(`the owner of ${organization.id} has no profile`);
  const mails = await countMail(tenant, now);
  if (mails > mailsPerHour) {
    log.warn('owner e-mail suppressed: hourly limit reached', { webhookId, mails });
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
