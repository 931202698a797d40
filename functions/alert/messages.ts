/** The endpoints of alerts that compose messages. */
import { digestEmail, readAlert, readDigest, sendAlertTest } from '../../shared/alert/index.ts';
import { alerts } from '../../shared/contract/endpoints/alerts.ts';
import { handle } from '../../shared/http/index.ts';
import { env } from '../../shared/platform/index.ts';

/** Also for an organization whose alerts send no digest. */
export const digest = handle(alerts.digest, async ({ tenant, organization, now }) => {
  const facts = await readDigest(tenant, { organization, now });
  const { subject, text } = digestEmail(facts, organization.name, env('CONSOLE_URL'));
  return { data: { ...facts, subject, text } };
});

export const test = handle(alerts.test, async ({ tenant, organization, params, now }) => {
  const { alert } = await readAlert(tenant, params.alertId);
  return sendAlertTest({ tenant, organization }, { alert, now });
});
