/** The deployer's choices: cdk context (`-c key=value` or cdk.json) in, a checked configuration out. */
import * as z from 'zod';
import {
  auditRetentionDays,
  plans,
  requestsPerMinute,
  webhooksPerOrganization,
  webhooksPerOrganizationMax,
} from '../shared/contract/limits.ts';
import { usualConcurrency } from './part/function/concurrency.ts';

const loopbackHosts = ['localhost', '127.0.0.1', '[::1]'];

/** https everywhere; http only where the bytes never leave the machine (RFC 8252). */
const isSafe = (text: string): boolean => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url?.protocol === 'https:' || (url?.protocol === 'http:' && loopbackHosts.includes(url.hostname));
};

const Address = z.string().refine(isSafe, 'must be an https address (http is allowed for localhost only)');
const Origin = Address.refine(
  (text) => URL.canParse(text) && new URL(text).origin === text,
  'must be an origin such as https://app.example.com, without path or trailing slash',
);
const Redirect = Address.refine((text) => !text.includes('#'), 'must not have a fragment');

/** One port of a host, or all of them. */
const Host = z.string().regex(/^(\[[0-9a-f:]+\]|[\w.-]+)(:\d{1,5})?$/i, 'must be host or host:port');

/** A list may be written `a,b` on the command line and ["a", "b"] in cdk.json. */
const listOf = <T extends z.ZodType>(entry: T) =>
  z.preprocess(
    (value) =>
      typeof value === 'string'
        ? value
            .split(',')
            .map((part) => part.trim())
            .filter((part) => part !== '')
        : value,
    z.array(entry, 'must be a list: a,b or ["a", "b"]'),
  );

const wholeNumber = (min: number, max: number) =>
  z.coerce
    .number(`must be a whole number from ${min} to ${max}`)
    .int(`must be a whole number from ${min} to ${max}`)
    .min(min, `must be at least ${min}`)
    .max(max, `must be at most ${max}`);

/** A template can be made without it, for a look, but nobody can sign in without: CloudFormation refuses to deploy this one. */
const noClientId = 'unset';

const Settings = z.object({
  plan: z.enum(plans, `must be one of ${plans.join(', ')}`).default('enterprise'),
  /** Enterprise only; the other plans have theirs. */
  auditRetentionDays: wholeNumber(1, 3_650).optional(),
  /** Any OpenID Connect issuer. */
  identityIssuer: Address.default('https://accounts.google.com'),
  /** Given by the identity provider; its secret goes into the secret the data stack makes. */
  identityClientId: z.string('must be the client id the identity provider gave you').default(noClientId),
  /** Where the console runs: browsers are sent here after signing in without a redirect_uri. */
  consoleUrl: Address.optional(),
  /** Browsers may call us from these. */
  allowedOrigins: listOf(Origin).default([]),
  /** Exactly these may receive a login code. */
  allowedRedirectUris: listOf(Redirect).default([]),
  /** Verified in SES, itself or its domain. Without it no mail is sent: whoever invites passes the link of the answer on. */
  mailFrom: z.email('must be an e-mail address').optional(),
  domainName: z.hostname('must be a host name such as api.example.com').optional(),
  certificateArn: z.string().startsWith('arn:', 'must be the ARN of an ACM certificate in the region of the API').optional(),
  /** Requests a minute of one actor in one organization. */
  requestsPerMinute: wholeNumber(1, 1_000_000).default(requestsPerMinute),
  /** How many functions the account may run at once in this region (quota L-B99A9384): each part of the service has a share of it. */
  accountConcurrency: wholeNumber(10, 100_000).default(usualConcurrency),
  /** How many webhooks one organization may have. */
  webhooksPerOrganization: wholeNumber(1, webhooksPerOrganizationMax).default(webhooksPerOrganization),
  /** One more makes a new signing key; the ones before stay, retained. */
  tokenKeyGeneration: wholeNumber(1, 100).default(1),
  /** Keys that signed before and whose tokens are still to be accepted. */
  previousTokenKeyArns: listOf(z.string().startsWith('arn:', 'must be the ARN of a KMS key')).default([]),
  /** After a restore (runbook.md): the stream of the restored table, which takes the place of the one in the stack. */
  tableStreamArn: z
    .string()
    .regex(/^arn:[\w-]+:dynamodb:[\w-]+:\d{12}:table\/[\w.-]+\/stream\/[\w.:-]+$/, "must be the ARN of a table's stream")
    .optional(),
  /** Where Google's services are; another address only where theirs are stood in for. */
  firestoreUrl: Address.default('https://firestore.googleapis.com'),
  identityToolkitUrl: Address.default('https://identitytoolkit.googleapis.com'),
  googleTokenUrl: Address.default('https://oauth2.googleapis.com/token'),
  gcsUrl: Address.default('https://storage.googleapis.com'),
  /** Where buckets of type s3 are when a destination names no endpoint; empty is AWS itself. */
  s3Url: z.union([z.literal(''), Address]).default(''),
  /** `{region}` is put in from the destination. */
  spacesUrl: Address.default('https://{region}.digitaloceanspaces.com'),
  /** What a destination may name although it is not public, and over http. For private networks and tests. */
  privateHosts: listOf(Host).default([]),
  /** What any organization's webhook may name although it is not public, over https. For tests. */
  webhookHosts: listOf(Host).default([]),
  /** Where alarms go. */
  alarmEmail: z.email('must be an e-mail address').optional(),
});

export type Config = z.output<typeof Settings>;
export type ConfigInput = z.input<typeof Settings>;

/** Every name a deployer may give; infra/deploy.md has a row for each. */
export const settingNames: readonly string[] = Object.keys(Settings.shape);

/** The configuration, or one error with a line for each setting that is missing, wrong or unknown. */
export const readConfig = (context: Readonly<Record<string, unknown>>): Config => {
  // The CDK's own context keys hold a colon, a slash or an @; whatever else is not ours is a slip of the pen.
  const unknown = Object.keys(context).filter((key) => !settingNames.includes(key) && /^[\w-]+$/.test(key));
  const given = Object.fromEntries(Object.entries(context).filter(([key, value]) => settingNames.includes(key) && value !== ''));
  const parsed = Settings.safeParse(given);
  const lines = [
    ...unknown.map((key) => `${key}: is no setting of ours; infra/deploy.md lists them`),
    ...(parsed.error?.issues ?? []).map((issue) => `${issue.path.join('.')}: ${issue.message}`),
    ...(parsed.data ? conflicts(parsed.data) : []),
  ];
  if (parsed.data && lines.length === 0) return parsed.data;
  throw new Error(`The configuration is wrong (set with -c key=value, or in cdk.json under "context"):\n  ${lines.join('\n  ')}`);
};

/** The settings a deployment still needs, one line each. */
export const unset = (config: Config): readonly string[] =>
  config.identityClientId === noClientId ? ['identityClientId: set it to the client id the identity provider gave you'] : [];

const conflicts = (config: Config): readonly string[] => [
  ...((config.domainName === undefined) !== (config.certificateArn === undefined)
    ? ['domainName, certificateArn: a domain of your own needs both']
    : []),
  ...(config.auditRetentionDays !== undefined && config.plan !== 'enterprise'
    ? [`auditRetentionDays: only the enterprise plan sets its own; ${config.plan} keeps ${auditRetentionDays[config.plan]} days`]
    : []),
];
