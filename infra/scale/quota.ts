/** What AWS and Google allow, as their documentation said in 2026: the default of an account unless it can never be raised. */
export const quota = {
  /** Functions at once, of all that an account has in a region. */
  lambdaConcurrency: 1_000,
  lambdaSeconds: 900,
  /** What a function must have to be given a whole core. */
  coreMegabytes: 1_769,
  lambdaEnvironmentBytes: 4_096,
  /** Of all inline policies of a role, without blanks. */
  rolePolicyBytes: 10_240,
  rolesPerAccount: 1_000,
  apiRequestsPerSecond: 10_000,
  apiRoutes: 300,
  apiIntegrations: 300,
  apiWaitSeconds: 30,
  stackResources: 500,
  stackOutputs: 200,
  templateBytes: 1_000_000,
  logMetricFilters: 100,
  /** What a state is given and answers, as JSON. */
  stateBytes: 262_144,
  /** Of an error's cause. */
  stateCauseBytes: 32_768,
  historyEvents: 25_000,
  /** A second, of all state machines of an account; 800 in small regions. */
  stateTransitionsPerSecond: 1_500,
  mapChildren: 10_000,
  schedulerEntries: 10_000_000,
  queueReceives: 5,
  queueVisibilityPerTimeout: 6,
  tableItemBytes: 400 << 10,
  tableTransactionItems: 100,
  tableTransactionBytes: 4 << 20,
  /** A second of one partition key. */
  partitionWriteUnits: 1_000,
  partitionReadUnits: 3_000,
  /** A second; 10,000 in small regions. */
  kmsRequestsPerSecond: 10_000,
  /** A second of one prefix of a bucket. */
  bucketPuts: 3_500,
  bucketGets: 5_500,
  uploadParts: 10_000,
  /** A new SES account, out of the sandbox. */
  mailsPerSecond: 14,
  /** How far back a source without point-in-time recovery can be read. */
  sourceKeptSeconds: 3_600,
  /** And with it. */
  sourceKeptLongSeconds: 7 * 24 * 3_600,
} as const;
