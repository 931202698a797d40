import { GetAccountCommand, GetEmailIdentityCommand, SESv2Client } from '@aws-sdk/client-sesv2';
import { clientOptions, type DeploymentTarget } from './deployment-target.ts';
import { advise, mustDo, ok, type Verdict } from './verdict.ts';

/** SES: out of its sandbox, not paused, and the sender verified. */
export const checkMail = async ({ region, config: { mailFrom } }: DeploymentTarget): Promise<Verdict> => {
  if (mailFrom === undefined)
    return advise('mailFrom is not set: no mail is sent; alerts by e-mail need it, and inviters pass on a link');
  const client = new SESv2Client(clientOptions(region));
  const { ProductionAccessEnabled, SendingEnabled, SendQuota } = await client.send(new GetAccountCommand({}));
  if (!ProductionAccessEnabled)
    return mustDo(
      `SES is in its sandbox in ${region} and sends only to verified addresses: request production access (aws sesv2 put-account-details --production-access-enabled …)`,
    );
  if (!SendingEnabled) return mustDo('sending is paused for this account: see the reputation dashboard of SES');
  const identities = [mailFrom, mailFrom.slice(mailFrom.indexOf('@') + 1)];
  for (const EmailIdentity of identities) {
    const found = await client.send(new GetEmailIdentityCommand({ EmailIdentity })).catch((error: Error) => {
      if (error.name === 'NotFoundException') return undefined;
      throw error;
    });
    if (found?.VerifiedForSendingStatus) return ok(`${EmailIdentity} is verified, ${SendQuota?.Max24HourSend} mails a day`);
  }
  return mustDo(
    `neither ${identities.join(' nor ')} is verified in ${region}: aws sesv2 create-email-identity --email-identity ${identities[1]}`,
  );
};
