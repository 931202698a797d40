import { accountKey } from '../../account/index.ts';
import { endpointDisabledAfterSeconds } from '../../contract/limits.ts';
import { organizationKey } from '../../organization/index.ts';
import { composeLetter, get, getAll, type Letter, log, sendMail, type Tenant, utcMinute } from '../../platform/index.ts';
import { type AlertRecord, alertKey } from '../model/record.ts';

/** E-mails the current owner that an alert was disabled. Sends nothing if it was enabled or deleted meanwhile. */
export const notifyAlertDisabled = async (tenant: Tenant, alertId: string): Promise<void> => {
  const [organization, alert] = await getAll([organizationKey.organization(tenant), alertKey.alert(tenant, alertId)]);
  if (!organization || organization.deletedAt || !alert || alert.enabled || !alert.disabled)
    return log.info('owner e-mail not sent: the alert is no longer disabled', { alertId });
  const owner = await get(accountKey.user(organization.ownerId));
  if (!owner) throw new Error(`the owner of ${organization.id} has no profile`);
  await sendMail(owner.email, alertDisabledEmail(organization.name, alert, alert.disabled));
};

const channelNames: Readonly<Record<AlertRecord['channel'], string>> = {
  email: 'E-mail',
  slack: 'Slack',
  teams: 'Teams',
  discord: 'Discord',
  pagerduty: 'PagerDuty',
};

const days = endpointDisabledAfterSeconds / (24 * 3_600);

export const alertDisabledEmail = (
  organizationName: string,
  { name, channel }: Pick<AlertRecord, 'name' | 'channel'>,
  { reason, at, failingSince }: NonNullable<AlertRecord['disabled']>,
): Letter =>
  composeLetter(`Alert disabled: ${name} (${organizationName})`, [
    ['The alert ', { name }, ' of the organization ', { name: organizationName }, ` was disabled on ${utcMinute(at)}.`],
    reason === 'gone'
      ? `${channelNames[channel]} answered that its address no longer exists or may no longer be used.`
      : `Every message to ${channelNames[channel]} since ${utcMinute(failingSince)} has failed, for more than ${days} days.`,
    'No more incidents are reported there. Other alerts of the organization are not affected.',
    'Give the alert a new address and enable it (PATCH /api/v1/alerts/{id}), then send a test (POST /api/v1/alerts/{id}/test). If you no longer need it, delete it.',
  ]);
