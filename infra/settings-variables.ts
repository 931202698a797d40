/** The variables that name no resource: configuration and values derived from it. */
import { auditRetentionDays, type OrganizationLimit } from '../shared/contract/limits.ts';
import { version } from '../shared/contract/version.ts';
import type { Config } from './config.ts';
import type { Settings } from './part/function/resource-names.ts';

export const settingsVariables = (config: Config, publicUrl: string): Settings => ({
  PLAN: config.plan,
  AUDIT_RETENTION_DAYS: String(config.auditRetentionDays ?? auditRetentionDays[config.plan]),
  REQUESTS_PER_MINUTE: String(config.requestsPerMinute),
  ORGANIZATION_LIMITS: JSON.stringify({
    schedules: config.schedulesPerOrganization,
    webhooks: config.webhooksPerOrganization,
    alerts: config.alertsPerOrganization,
    restoreTests: config.restoreTestsPerOrganization,
    concurrentBackups: config.concurrentBackups,
    concurrentRestores: config.concurrentRestores,
    concurrentExports: config.concurrentExports,
    concurrentVerifications: config.concurrentVerifications,
  } satisfies Record<OrganizationLimit, number>),
  PUBLIC_URL: publicUrl,
  ALLOWED_ORIGINS: config.allowedOrigins.join(','),
  ALLOWED_REDIRECT_URIS: config.allowedRedirectUris.join(','),
  // Without a console, users land on the API reference.
  CONSOLE_URL: config.consoleUrl ?? `${publicUrl}/console`,
  IDENTITY_ISSUER: config.identityIssuer,
  IDENTITY_CLIENT_ID: config.identityClientId,
  MAIL_FROM: config.mailFrom ?? '',
  FIRESTORE_URL: config.firestoreUrl,
  IDENTITY_TOOLKIT_URL: config.identityToolkitUrl,
  FIREBASE_RULES_URL: config.firebaseRulesUrl,
  GOOGLE_TOKEN_URL: config.googleTokenUrl,
  GOOGLE_STS_URL: config.googleStsUrl,
  GOOGLE_CREDENTIALS_URL: config.googleCredentialsUrl,
  S3_URL: config.s3Url,
  SPACES_URL: config.spacesUrl,
  GCS_URL: config.gcsUrl,
  PRIVATE_HOSTS: config.privateHosts.join(','),
  WEBHOOK_HOSTS: config.webhookHosts.join(','),
  SERVICE_VERSION: version,
});

/** Of the functions behind the gateway, in deployments with CloudFront. Only the digest of its secret is in the template. */
export const cloudFrontVariables = ({ cloudFrontSecretDigest, requireCloudFront }: Config): Readonly<Record<string, string>> => ({
  ...(cloudFrontSecretDigest !== undefined && { CLOUDFRONT_SECRET_DIGEST: cloudFrontSecretDigest }),
  ...(requireCloudFront && { REQUIRE_CLOUDFRONT: 'true' }),
});
