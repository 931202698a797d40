/** The numbers of the interface, each with its unit in its name. Both code and OpenAPI read them here. */

export const bodyMaxBytes = 1_048_576;

export const pageDefault = 50;
export const pageMax = 100;

export const accessTokenSeconds = 3_600;
/** One refresh token's life; each use replaces it. */
export const refreshTokenSeconds = 7 * 24 * 3_600;
/** However often it is refreshed, a session ends (ASVS 10.4.8 asks for an absolute end). */
export const sessionMaxSeconds = 30 * 24 * 3_600;
/** Our own one-time code between the callback and POST /auth/token. */
export const loginCodeSeconds = 60;
/** A person may take this long on the provider's consent screen. */
export const loginAttemptSeconds = 600;
/** The token's `organizations` claim is a hint, never trusted; it is cut here so the token stays below header limits. */
export const tokenOrganizationsMax = 50;

export const invitationSeconds = 7 * 24 * 3_600;
export const recoverySeconds = 30 * 24 * 3_600;
export const idempotencySeconds = 24 * 3_600;
export const eventKeptSeconds = 30 * 24 * 3_600;

/** How long a backup may take, in minutes. */
export const backupTimeoutMinutes = 30;
export const backupTimeoutMinutesMin = 5;
export const backupTimeoutMinutesMax = 720;
/** Google's list price of the dearest locations; others cost half. An estimate must not be too low. */
export const usdPerRead = 0.06 / 100_000;

/** An incremental backup this many steps from its full one has a new full one made of it; beyond twice as many none is built upon. */
export const chainSoftMax = 24;
export const chainHardMax = 2 * chainSoftMax;

/** How long a restore can be taken back, and a failed one resumed. */
export const undoSeconds = 7 * 24 * 3_600;
export const restoreDocumentIdsMax = 1_000;
/** What a database takes at most, by its documentation. */
export const writesPerSecondMax = 10_000;
/** Google's list prices of the dearest locations. */
export const usdPerWrite = 0.18 / 100_000;
export const usdPerDelete = 0.02 / 100_000;

/** Of one request to a webhook, from the name's lookup to the last byte that is read of the answer. */
export const webhookTimeoutMs = 30_000;
export const webhookTimeoutMsMin = 100;
export const webhookTimeoutMsMax = 60_000;
/** A test is answered within the call, which has 20 s. */
export const webhookTestTimeoutMs = 15_000;
/** Before attempts 2 to 5 of the standard format; the first is immediate. */
export const retryDelaysSeconds = [60, 300, 1_800, 7_200] as const;
export const deliveryAttemptsMax = retryDelaysSeconds.length + 1;
export const deliveryKeptSeconds = eventKeptSeconds;
/** An endpoint that has failed everything for this long is disabled. */
export const failingSecondsMax = 5 * 24 * 3_600;
/** Of one organization, unless the deployment says otherwise: an event of its own makes as many deliveries at most, each with a copy of it. */
export const webhooksPerOrganization = 100;
/** What a deployment may set at most: what works off events is made for it. */
export const webhooksPerOrganizationMax = 1_000;
export const webhookUrlMax = 2_048;
export const webhookSecretMin = 8;
export const webhookSecretMax = 256;
export const webhookHeadersMax = 20;
/** Names and values of a webhook's headers together: what KMS seals at once is 4,096 bytes. */
export const webhookHeadersMaxBytes = 3_500;
export const overlapHours = 24;
export const overlapHoursMax = 168;

/** Between two runs of a schedule, by the clock on the wall. */
export const scheduleIntervalMinutesMin = 5;
export const schedulesPerOrganization = 100;
export const cronMax = 200;
export const retentionDaysMax = 3_650;
/** Of each of days, weeks, months and years. */
export const retentionCountMax = 1_000;

/** How far back a point in time can be restored. */
export const pitrRetentionDays = 7;
export const pitrRetentionDaysMax = 365;
export const captureIntervalSeconds = 60;
export const captureIntervalSecondsMin = 10;
/** A listener that was away for longer is billed by the source for all documents again. */
export const captureIntervalSecondsMax = 1_800;

export const nameMax = 100;
export const slugMin = 3;
export const slugMax = 40;

/** What the worker of quick tasks has for one batch of them. */
export const taskSeconds = 60;

/** Requests a minute for one actor in one organization, unless the endpoint's row or the deployment says otherwise. */
export const requestsPerMinute = 3_000;
/** Of calls that wait for customers' buckets, databases and endpoints, or have much sent to them, each by itself: 300 of 3,000. At 20 s each, 100 functions at once. */
export const outsideShare = 1 / 10;
/** Of calls that page through what lies there: 300 of 3,000. */
export const browsingShare = 1 / 10;
/** Of one organization at once; the next one waits. */
export const runningBackupsMax = 20;
export const runningRestoresMax = 20;
export const runningVerificationsMax = 10;

export const plans = ['starter', 'professional', 'enterprise'] as const;
export type Plan = (typeof plans)[number];
/** Enterprise can be configured; this is its default. */
export const auditRetentionDays: Readonly<Record<Plan, number>> = { starter: 30, professional: 90, enterprise: 365 };

/** Slugs that would read as part of an address of ours. */
export const reservedSlugs = [
  'admin',
  'api',
  'app',
  'auth',
  'billing',
  'console',
  'current',
  'docs',
  'health',
  'help',
  'internal',
  'login',
  'logout',
  'new',
  'null',
  'organization',
  'organizations',
  'public',
  'root',
  'settings',
  'status',
  'support',
  'system',
  'undefined',
  'www',
] as const;
