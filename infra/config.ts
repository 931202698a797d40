/** The deployment configuration: reads cdk context (`-c key=value` or cdk.json) and validates it. */
import { en } from 'zod/locales';
import * as z from 'zod/mini';
import { endpoints } from '../shared/contract/index.ts';
import {
  auditRetentionDays,
  type OrganizationLimit,
  organizationLimits,
  organizationLimitsMax,
  plans,
  requestsPerMinute,
} from '../shared/contract/limits.ts';
import {
  jobsAtOnce,
  queuesConcurrency,
  reservedMax,
  reservedMin,
  unreservedMin,
  usualConcurrency,
} from './part/function/concurrency.ts';
import { usualDeploymentName } from './part/usual-deployment-name.ts';

const loopbackHosts = ['localhost', '127.0.0.1', '[::1]'];

/** https everywhere; http only for loopback addresses (RFC 8252). */
const isSafe = (text: string): boolean => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url?.protocol === 'https:' || (url?.protocol === 'http:' && loopbackHosts.includes(url.hostname));
};

const Address = z.string().check(z.refine(isSafe, 'must be an https URL (http is allowed for localhost only)'));
const Origin = Address.check(
  z.refine(
    (text) => URL.canParse(text) && new URL(text).origin === text,
    'must be an origin such as https://app.example.com, without path or trailing slash',
  ),
);
const Redirect = Address.check(z.refine((text) => !text.includes('#'), 'must not have a fragment'));

/** A host with one port, or with all ports. */
const Host = z.string().check(z.regex(/^(\[[0-9a-f:]+\]|[\w.-]+)(:\d{1,5})?$/i, 'must be host or host:port'));

/** Lists are `a,b` on the command line or ["a", "b"] in cdk.json. */
const listOf = <T extends z.ZodMiniType>(entry: T) =>
  z.pipe(
    z.transform((value) => (typeof value === 'string' ? value.split(',').flatMap((part) => part.trim() || []) : value)),
    z.array(entry, 'must be a list: a,b or ["a", "b"]'),
  );

const wholeNumber = (min: number, max: number) =>
  z.coerce
    .number(`must be a whole number from ${min} to ${max}`)
    .check(
      z.int(`must be a whole number from ${min} to ${max}`),
      z.minimum(min, `must be at least ${min}`),
      z.maximum(max, `must be at most ${max}`),
    );

/** true or false in cdk.json, text with -c. */
const flag = z.union(
  [
    z.boolean(),
    z.pipe(
      z.enum(['true', 'false']),
      z.transform((text) => text === 'true'),
    ),
  ],
  'must be true or false',
);

const organizationLimit = (name: OrganizationLimit) =>
  z._default(wholeNumber(1, organizationLimitsMax[name]), organizationLimits[name]);

/** Its default follows the account's concurrency. */
const jobLimit = (name: JobLimit) => z.optional(wholeNumber(1, organizationLimitsMax[name]));
type JobLimit = Extract<OrganizationLimit, `concurrent${string}`>;

/** Allows synthesis without a client id. CloudFormation refuses to deploy such a template, since sign-in would not work. */
const noClientId = 'unset';

const warmEndpointsMax = 20;
const endpointIds: readonly string[] = endpoints.map(({ id }) => id);
/** As /docs shows it: `operationId`. */
const Endpoint = z.string().check(
  z.refine((id) => endpointIds.includes(id), {
    error: ({ input }) => `${input} is not an endpoint such as overview.get; the operationId of each is in the OpenAPI document`,
  }),
);

const Settings = z.object({
  /** The prefix of the stacks and of every name in them. Another name is another deployment, with its own data. */
  stackName: z._default(
    z
      .string()
      .check(z.regex(/^[a-z][a-z0-9-]{0,39}$/i, 'must begin with a letter and have at most 40 letters, digits and hyphens')),
    usualDeploymentName,
  ),
  plan: z._default(z.enum(plans, `must be one of ${plans.join(', ')}`), 'enterprise'),
  /** Enterprise only; other plans have fixed values. */
  auditRetentionDays: z.optional(wholeNumber(1, 3_650)),
  /** Any OpenID Connect issuer. */
  identityIssuer: z._default(Address, 'https://accounts.google.com'),
  /** Issued by the identity provider. Its secret is stored in the secret of the data stack. */
  identityClientId: z._default(z.string('must be the client id issued by the identity provider'), noClientId),
  /** The console's URL: browsers land here after a sign-in without redirect_uri. */
  consoleUrl: z.optional(Address),
  /** Browsers may call the API from these origins. */
  allowedOrigins: z._default(listOf(Origin), []),
  /** Only these URIs may receive a login code. By default command-line tools on the user's own machine, such as the smoke test. */
  allowedRedirectUris: z._default(listOf(Redirect), ['http://localhost/callback']),
  /** Verified in SES (the address or its domain). Without it no e-mails are sent; inviters pass on the link from the response. */
  mailFrom: z.optional(z.email('must be an e-mail address')),
  domainName: z.optional(z.hostname('must be a host name such as api.example.com')),
  /** In an app of the CDK it may be that of a certificate which the same app creates: a token until the deployment. */
  certificateArn: z.optional(
    z.string().check(z.regex(/^(arn:|\$\{Token\[)/, 'must be the ARN of an ACM certificate in the region of the API')),
  ),
  /** SHA-256 digest, in hex, of the secret that your CloudFront distribution sends as X-CloudFront-Secret; two while it changes. */
  cloudFrontSecretDigest: z.optional(
    z.string().check(z.regex(/^[0-9a-f]{64}(,[0-9a-f]{64})?$/, 'must be a SHA-256 digest in lower-case hex, or two: a,b')),
  ),
  /** Refuses every request that does not come through that distribution, so that its firewall cannot be bypassed. */
  requireCloudFront: z._default(flag, false),
  /** Per caller and organization. */
  requestsPerMinute: z._default(wholeNumber(1, 1_000_000), requestsPerMinute),
  /** The account's Lambda concurrency in this region (quota L-B99A9384); a small one lowers the limits of the queues. */
  accountConcurrency: z._default(wholeNumber(10, 100_000), usualConcurrency),
  /** The part of it that is reserved for workflow steps, which is also their maximum. 0: no reservation, no maximum. */
  reservedConcurrency: z._default(wholeNumber(0, 100_000), 0),
  /** Endpoints of which one instance is always started (provisioned concurrency), so that the first call waits for no cold start. */
  warmEndpoints: z._default(
    listOf(Endpoint).check(
      z.maxLength(
        warmEndpointsMax,
        `must be at most ${warmEndpointsMax} endpoints: each takes two of the 500 resources of a stack`,
      ),
    ),
    [],
  ),
  /** Metrics of API Gateway per route, which CloudWatch bills one by one. */
  detailedMetrics: z._default(flag, false),
  /** What one organization may have, and run at once. */
  schedulesPerOrganization: organizationLimit('schedules'),
  webhooksPerOrganization: organizationLimit('webhooks'),
  alertsPerOrganization: organizationLimit('alerts'),
  restoreTestsPerOrganization: organizationLimit('restoreTests'),
  concurrentBackups: jobLimit('concurrentBackups'),
  concurrentRestores: jobLimit('concurrentRestores'),
  concurrentExports: jobLimit('concurrentExports'),
  concurrentVerifications: jobLimit('concurrentVerifications'),
  /**
   * For deployments from before November 2026, whose first keys exist in one region only. KMS cannot change that, and CloudFormation refuses to:
   * without this setting such a deployment cannot be updated, and nothing of it changes.
   */
  singleRegionKeys: z._default(flag, false),
  /** Incrementing it creates a new key for data keys, and lets functions open what it will wrap. Earlier keys stay, with the same right. */
  dataKeyGeneration: z._default(wholeNumber(1, 100), 1),
  /**
   * The generation that wraps new data keys; required once there are several. It follows `dataKeyGeneration` in a later deployment, so
   * that no function, of the old version either, meets a data key that it may not open.
   */
  wrappingKeyGeneration: z.optional(wholeNumber(1, 100)),
  /** Incrementing it creates a new signing key; earlier keys are retained. */
  tokenKeyGeneration: z._default(wholeNumber(1, 100), 1),
  /** Earlier signing keys whose tokens are still accepted. */
  previousTokenKeyArns: z._default(listOf(z.string().check(z.startsWith('arn:', 'must be the ARN of a KMS key'))), []),
  /** Incrementing it creates a new key that signs evidence; earlier ones stay published, so that their evidence can be verified. */
  evidenceKeyGeneration: z._default(wholeNumber(1, 100), 1),
  /** Generations that are no longer published because the key was compromised. */
  withdrawnEvidenceKeyGenerations: z._default(listOf(wholeNumber(1, 100)), []),
  /** After a restore (runbook.md): the stream of the restored table, which replaces that of the stack. */
  tableStreamArn: z.optional(
    z
      .string()
      .check(
        z.regex(/^arn:[\w-]+:dynamodb:[\w-]+:\d{12}:table\/[\w.-]+\/stream\/[\w.:-]+$/, "must be the ARN of a table's stream"),
      ),
  ),
  /** Google's service URLs; overridden only where these are simulated. */
  firestoreUrl: z._default(Address, 'https://firestore.googleapis.com'),
  identityToolkitUrl: z._default(Address, 'https://identitytoolkit.googleapis.com'),
  firebaseRulesUrl: z._default(Address, 'https://firebaserules.googleapis.com'),
  googleTokenUrl: z._default(Address, 'https://oauth2.googleapis.com/token'),
  googleStsUrl: z._default(Address, 'https://sts.googleapis.com/v1/token'),
  googleCredentialsUrl: z._default(Address, 'https://iamcredentials.googleapis.com'),
  gcsUrl: z._default(Address, 'https://storage.googleapis.com'),
  /** The endpoint of s3 destinations that name none; empty means AWS. */
  s3Url: z._default(z.union([z.literal(''), Address]), ''),
  /** `{region}` is replaced by the destination's region. */
  spacesUrl: z._default(Address, 'https://{region}.digitaloceanspaces.com'),
  /** Private addresses that destinations may use, also over http. For private networks and tests. */
  privateHosts: z._default(listOf(Host), []),
  /** Private addresses that any organization's webhooks may use over https. For tests. */
  webhookHosts: z._default(listOf(Host), []),
  /** The recipient of alarms. */
  alarmEmail: z.optional(z.email('must be an e-mail address')),
});

type Given = z.output<typeof Settings>;
export type Config = Given & Readonly<Record<JobLimit, number>>;
export type ConfigInput = z.input<typeof Settings>;

/** All settings; infra/deploy.md has a row for each. */
export const settingNames: readonly string[] = Object.keys(Settings.shape);

/**
 * The CDK's own context keys: lookups and feature flags contain a colon, a slash or an @; the commands `cdk acknowledge` and
 * `cdk cli-telemetry` write the other two. Any other unknown key is a typing error.
 */
const isCdkKey = (key: string): boolean =>
  !/^[\w-]+$/.test(key) || key === 'acknowledged-issue-numbers' || key === 'cli-telemetry';

/** JSON Schema of the settings as the stacks get them: types, limits and defaults. */
export const settingsSchema = () => z.toJSONSchema(Settings, { io: 'output', unrepresentable: 'any' });

const usualSource = 'set with -c key=value, or in cdk.json under "context"';

/** Validates the configuration. Throws one error with a line for each missing, invalid or unknown setting. */
export const readConfig = (context: Readonly<Record<string, unknown>>, source = usualSource): Config => {
  const unknown = Object.keys(context).filter((key) => !settingNames.includes(key) && !isCdkKey(key));
  const input = Object.fromEntries(Object.entries(context).filter(([key, value]) => settingNames.includes(key) && value !== ''));
  const parsed = Settings.safeParse(input, { error: en().localeError });
  const lines = [
    ...unknown.map((key) => `${key}: unknown setting; infra/deploy.md lists all settings`),
    ...(parsed.error?.issues ?? []).map((issue) => `${issue.path.join('.')}: ${issue.message}`),
    ...(parsed.data ? conflicts(parsed.data) : []),
  ];
  if (parsed.data && lines.length === 0) return withJobLimits(parsed.data);
  throw new Error(`Invalid configuration (${source}):\n  ${lines.join('\n  ')}`);
};

/** The settings that are missing for a deployment, one line each. */
export const missingSettings = (config: Config): readonly string[] =>
  config.identityClientId === noClientId
    ? ['identityClientId: must be set to the client id issued by the identity provider']
    : [];

const withJobLimits = (given: Given): Config => {
  const limitOf = (name: JobLimit): number => given[name] ?? jobsAtOnce(organizationLimits[name], given.accountConcurrency);
  return {
    ...given,
    concurrentBackups: limitOf('concurrentBackups'),
    concurrentRestores: limitOf('concurrentRestores'),
    concurrentExports: limitOf('concurrentExports'),
    concurrentVerifications: limitOf('concurrentVerifications'),
  };
};

const warmMax = ({ accountConcurrency, reservedConcurrency }: Given): number =>
  accountConcurrency - reservedConcurrency - unreservedMin;

const conflicts = (config: Given): readonly string[] => [
  ...(config.reservedConcurrency > 0 && config.reservedConcurrency < reservedMin
    ? [`reservedConcurrency: must be 0 or at least ${reservedMin}, so that every step can run`]
    : []),
  ...(config.reservedConcurrency > reservedMax(config.accountConcurrency)
    ? [
        `reservedConcurrency: must be at most ${reservedMax(config.accountConcurrency)} with accountConcurrency ${config.accountConcurrency}: the queues use up to ${queuesConcurrency(config.accountConcurrency)}, and Lambda requires ${unreservedMin} that are not reserved, which the API needs`,
      ]
    : []),
  ...(config.warmEndpoints.length > 0 && config.warmEndpoints.length > warmMax(config)
    ? [
        `warmEndpoints: must be at most ${Math.max(0, warmMax(config))} with accountConcurrency ${config.accountConcurrency} and reservedConcurrency ${config.reservedConcurrency}: Lambda requires ${unreservedMin} that are neither reserved nor provisioned`,
      ]
    : []),
  ...(config.withdrawnEvidenceKeyGenerations.some((generation) => generation >= config.evidenceKeyGeneration)
    ? [
        `withdrawnEvidenceKeyGenerations: must be lower than evidenceKeyGeneration (${config.evidenceKeyGeneration}), the key that signs; increment that first`,
      ]
    : []),
  ...(config.wrappingKeyGeneration === undefined && config.dataKeyGeneration > 1
    ? [
        'wrappingKeyGeneration: is required with dataKeyGeneration; deploy with the generation in use until now first (infra/runbook.md)',
      ]
    : []),
  ...(config.wrappingKeyGeneration !== undefined && config.wrappingKeyGeneration > config.dataKeyGeneration
    ? [
        `wrappingKeyGeneration: must be at most dataKeyGeneration (${config.dataKeyGeneration}); increment that in a deployment before`,
      ]
    : []),
  ...(config.requireCloudFront && config.cloudFrontSecretDigest === undefined
    ? ['requireCloudFront: needs cloudFrontSecretDigest; without a secret every request would be refused']
    : []),
  ...((config.domainName === undefined) !== (config.certificateArn === undefined)
    ? ['domainName, certificateArn: a custom domain needs both']
    : []),
  ...(config.auditRetentionDays !== undefined && config.plan !== 'enterprise'
    ? [`auditRetentionDays: available on the enterprise plan only; ${config.plan} keeps ${auditRetentionDays[config.plan]} days`]
    : []),
];
